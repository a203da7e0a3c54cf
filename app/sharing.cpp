// SPDX-License-Identifier: BSD-3-Clause
#include "app/sharing.hpp"

#include <chrono>
#include <string_view>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include "app/etcd_link.hpp"
#include "base/text.hpp"
#include "store/text_file.hpp"

namespace heddle::app {

bool has_partner(const config::Config& config) {
  return !config.standby_listen.empty() || !config.standby_peer.empty();
}

bool has_replica(const config::Config& config) {
  return !config.replica_endpoints.empty();
}

base::Result<PartnerKeys> partner_keys(const config::Config& config) {
  PartnerKeys keys{{}, config.standby_certificate, config.standby_key, config.standby_authority};
  if (config.standby_secret_file.empty()) {
    if (!keys.certificate.empty() && !keys.key.empty() && !keys.authority.empty()) return keys;
    return base::error(
        "[standby] needs a secret_file, or a certificate with its key and an authority");
  }
  const auto file = store::TextFile(config.standby_secret_file, "secret").read_named();
  if (!file) return file.error();
  keys.secret = base::trim(file->text);
  constexpr std::size_t kLeast = 16, kMost = 256;  // what OpenSSL takes
  if (keys.secret.size() >= kLeast && keys.secret.size() <= kMost) return keys;
  return base::error(
      fmt::format("{}: a secret has {} to {} bytes", config.standby_secret_file, kLeast, kMost));
}

base::Result<Replica::Options> replica_options(const config::Config& config) {
  Replica::Options options;
  options.link = {config.replica_endpoints, config.replica_authority, config.replica_certificate,
                  config.replica_key,       config.replica_user,      {}};
  if (!config.replica_user.empty()) {
    const auto file = store::TextFile(config.replica_password_file, "password").read_named();
    if (!file) return file.error();
    options.link.password = base::trim(file->text);
  }
  options.prefix = config.replica_prefix + "/" + base::hex(config.subnet_prefix);
  options.lease = std::chrono::duration_cast<std::chrono::seconds>(config.replica_lease);
  options.waits = config.replica_wait;
  return options;
}

base::Result<void> check_sharing(const config::Config& config) {
  if (has_partner(config)) {
    const auto keys = partner_keys(config);
    if (!keys) return keys.error();
    const auto tls = make_partner_tls(*keys, /*server=*/true);
    if (!tls) return tls.error();
  }
  if (!config.standby_listen.empty()) {
    std::string_view host = config.standby_listen;
    host = host.substr(0, host.rfind(':'));
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    boost::system::error_code error;
    boost::asio::ip::make_address(host, error);
    if (error) {
      return base::error(
          fmt::format("standby.listen needs an address, not '{}'", base::printable(host)));
    }
  }
  if (!has_replica(config)) return {};
  auto options = replica_options(config);
  if (!options) return options.error();
  boost::asio::io_context idle;
  const auto link = EtcdLink::open(idle, std::move(options->link), {});
  if (!link) return link.error();
  return {};
}

}  // namespace heddle::app
