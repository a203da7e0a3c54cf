// SPDX-License-Identifier: BSD-3-Clause
// The way to a replicated store: its JSON gateway over HTTP, with TLS and a login if wanted, at
// whichever of several members answers. All on one loop; what is told comes there.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include "base/result.hpp"
#include "store/etcd_words.hpp"
#include "store/key_values.hpp"

namespace heddle::app {

// One connection that carries one request after the other.
class HttpChannel {
 public:
  struct Request {
    std::string path, body, token;
  };
  // Pieces of the body as they come; then, once, what became of it: an empty sentence if all is
  // there. `sent` says whether the other side can have had the request.
  struct Hearer {
    std::function<void(unsigned status, std::string piece)> piece;
    std::function<void(const std::string& trouble, bool sent)> end;
  };
  virtual ~HttpChannel() = default;
  // Without a limit the answer may go on for ever once it has begun.
  virtual void send(Request request, std::chrono::milliseconds limit, bool endless,
                    Hearer hearer) = 0;
  // Nothing is heard any more.
  virtual void drop() = 0;
};

class EtcdLink {
 public:
  // An answer that takes longer will not come; reading everything may take longer.
  static constexpr std::chrono::milliseconds kLimit{1000};
  static constexpr std::chrono::milliseconds kReadLimit{5'000};

  struct Options {
    std::vector<std::string> endpoints;       // "https://HOST:PORT"
    std::string authority, certificate, key;  // PEM files; authority empty: the system's
    std::string user, password;               // user empty: no login
  };
  struct Events {
    std::function<void(std::uint64_t id, store::Answer)> answer;
    std::function<void(std::vector<store::Changed>)> changes;
    std::function<void()> watch_lost;
  };
  // An error when an endpoint or a file is wrong.
  static base::Result<std::unique_ptr<EtcdLink>> open(boost::asio::io_context& loop,
                                                      Options options, Events events);
  ~EtcdLink();

  // One at a time.
  void ask(std::uint64_t id, store::Question question);
  // In place of the one before.
  void watch(const store::KeyRange& range, store::Revision from);
  void end_watch();

 private:
  struct Endpoint {
    bool tls = false;
    std::string host, port;
  };
  EtcdLink(boost::asio::io_context& loop, Options options, Events events);
  base::Result<void> prepare();
  std::shared_ptr<HttpChannel> open_channel();
  void attempt();
  void login();
  void ended(const std::string& trouble, bool sent);
  void next_endpoint();
  void answer(store::Answer answer);

  boost::asio::io_context& loop_;
  Options options_;
  Events events_;
  std::unique_ptr<boost::asio::ssl::context> tls_;
  std::vector<Endpoint> endpoints_;
  std::size_t at_ = 0;  // of endpoints_
  std::shared_ptr<HttpChannel> channel_, watching_;
  std::string token_;

  // What is asked.
  std::uint64_t id_ = 0;
  store::Question question_;
  std::size_t tried_ = 0;   // endpoints that were not there
  bool logged_in_ = false;  // for this question
  unsigned status_ = 0;
  std::string body_;
  store::EtcdWatchReader reader_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace heddle::app
