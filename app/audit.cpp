// SPDX-License-Identifier: BSD-3-Clause
#include "app/audit.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include "config/options.hpp"

namespace heddle::app {
namespace {

// Shorter ones are tried through in an afternoon.
constexpr std::uint64_t kLeastKey = std::uint64_t{1} << 48;

class Audit {
 public:
  Audit(const ConfigurationSeen& seen, SecurityProfile profile) : seen_(seen), profile_(profile) {}

  std::vector<Diagnosis> run() {
    const config::Config& c = seen_.config;
    const config::Config usual;
    const auto strict = SecurityProfile::MultiTenant;
    const auto standard = SecurityProfile::Standard;
    want(standard, c.sm_key != usual.sm_key, "The sm_key is one of our own",
         "The sm_key is the one that everybody knows: whoever uses it is trusted with all queries",
         "set sm.sm_key, the same for all subnet managers of the fabric");
    want(standard, seen_.open_to_all.empty(), "Files with secrets are closed to others",
         fmt::format("Everybody on this host can read {}", fmt::join(seen_.open_to_all, ", ")),
         "chown root:heddle, chmod 640");
    want(standard, !c.accept_credit_loops, "Routes with credit loops are refused",
         "Routes may hold credit loops, by which hosts can stop the fabric",
         "leave routing.accept_credit_loops at false");
    want(strict, c.m_key != 0, "Ports are guarded by an M_Key",
         "There is no M_Key: any host can reconfigure any port and switch",
         "set sm.m_key, and keep it: ports stay locked without it");
    if (c.m_key != 0) {
      want(strict, c.m_key_per_port, "Each port has an M_Key of its own",
           "All ports have the same M_Key: who learns one knows all", "sm.m_key_per_port = true");
      want(standard, c.m_key_protection > 0, "Ports hide their M_Key",
           "Ports show their M_Key to whoever asks", "sm.m_key_protection = 1");
    }
    want(strict, !weak(c.sm_key) && !weak(c.m_key), "Keys are long enough",
         "A key is below 0x0001000000000000 and can be guessed",
         "take 64 random bits: od -An -N8 -tx8 /dev/urandom");
    want(strict, !c.tell_sm_key, "The sm_key is told to nobody",
         "The sm_key is told to any subnet manager that asks", "sm.tell_sm_key = false");
    want(strict, !c.allowed_sm_guids.empty(), "Only named subnet managers may be master",
         "Any host may become master of the fabric", "name them in sm.allowed_sm_guids");
    want(strict, c.sa_untrusted == "needed", "Hosts learn of the fabric what they need",
         "Any host may ask for every route, and for the links and ports that it may see",
         "sa.untrusted = \"needed\"");
    want(strict, !c.partitions_file.empty(), "There are partitions",
         "Every host may talk to every other", "write partitions.file (docs/partitions.md)");
    want(strict, c.partition_enforcement == "both", "Switches enforce partitions",
         "Switches do not enforce partitions both ways: hosts are taken at their word",
         "partitions.enforcement = \"both\"");
    want(strict, c.api_readers == "owner", "Other users of this host learn nothing",
         "Every user of this host may read the fabric", "api.readers = \"owner\"");
    want(strict, c.api_listen.empty() || !c.api_tokens.empty(), "The API asks for tokens",
         "Whoever is on this host may read the fabric by TCP", "write api.tokens");
    want(standard, c.api_console != "socket", "No console is open to other hosts",
         "Any host may look at the fabric by OpenSM's console, without login or encryption",
         "api.console = \"loopback\"");
    want(strict, c.api_console != "loopback", "No console is open to all users of this host",
         "Every user of this host may look at the fabric by OpenSM's console",
         "api.console = \"off\"");
    return std::move(found_);
  }

 private:
  static bool weak(std::uint64_t key) { return key > 1 && key < kLeastKey; }

  void want(SecurityProfile least, bool fulfilled, std::string good, std::string bad,
            std::string mend) {
    if (fulfilled) {
      found_.push_back({Health::Fine, std::move(good), {}});
    } else {
      const Health health = profile_ >= least ? Health::Wrong : Health::Doubtful;
      found_.push_back({health, std::move(bad), std::move(mend)});
    }
  }

  const ConfigurationSeen& seen_;
  SecurityProfile profile_;
  std::vector<Diagnosis> found_;
};

bool anybody_reads(const std::string& file) {
  struct stat found {};
  return !file.empty() && ::stat(file.c_str(), &found) == 0 && (found.st_mode & S_IROTH) != 0;
}

}  // namespace

ConfigurationSeen configuration_seen(config::Config config, std::string path) {
  ConfigurationSeen seen{std::move(config), std::move(path), {}};
  const config::Config& c = seen.config;
  if (config::has_secrets(c) && anybody_reads(seen.path)) seen.open_to_all.push_back(seen.path);
  for (const std::string& file : {c.api_tokens, c.api_key, c.standby_secret_file, c.standby_key,
                                  c.replica_key, c.replica_password_file}) {
    if (anybody_reads(file)) seen.open_to_all.push_back(file);
  }
  return seen;
}

std::vector<std::string> profile_gaps(const config::Config& config, const std::string& path) {
  const std::string& profile = config.security_profile;
  std::vector<std::string> gaps;
  for (const Diagnosis& each :
       audit(configuration_seen(config, path), *security_profile(profile))) {
    if (each.health != Health::Wrong) continue;
    gaps.push_back(
        fmt::format("security.profile = \"{}\" wants more. {}: {}", profile, each.what, each.mend));
  }
  return gaps;
}

std::optional<SecurityProfile> security_profile(std::string_view name) {
  if (name == "open") return SecurityProfile::Open;
  if (name == "standard") return SecurityProfile::Standard;
  if (name == "multi-tenant") return SecurityProfile::MultiTenant;
  return std::nullopt;
}

std::vector<Diagnosis> audit(const ConfigurationSeen& seen, SecurityProfile profile) {
  return Audit(seen, profile).run();
}

}  // namespace heddle::app
