// SPDX-License-Identifier: BSD-3-Clause
#include "app/etcd_link.hpp"

#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::app {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

template <class Stream>
class Channel final : public HttpChannel, public std::enable_shared_from_this<Channel<Stream>> {
 public:
  static constexpr bool kTls = !std::is_same_v<Stream, beast::tcp_stream>;

  template <class... More>
  Channel(asio::io_context& loop, std::string host, std::string port, More&... more)
      : host_(std::move(host)), port_(std::move(port)), resolver_(loop), stream_(loop, more...) {}

  void send(Request request, std::chrono::milliseconds limit, bool endless,
            Hearer hearer) override {
    hearer_ = std::move(hearer);
    endless_ = endless;
    limit_ = limit;
    sent_ = false;
    request_ = {};
    request_.version(11);
    request_.method(http::verb::post);
    request_.target(request.path);
    request_.set(http::field::host, host_ + ":" + port_);
    request_.set(http::field::content_type, "application/json");
    if (!request.token.empty()) request_.set(http::field::authorization, request.token);
    request_.body() = std::move(request.body);
    request_.prepare_payload();
    beast::get_lowest_layer(stream_).expires_after(limit_);
    if (open_) return write();
    resolver_.async_resolve(host_, port_,
                            [self = this->shared_from_this()](error_code error, auto found) {
                              if (error) return self->close(error);
                              self->connect(found);
                            });
  }

  void drop() override {
    hearer_ = {};
    error_code ignored;
    resolver_.cancel();
    beast::get_lowest_layer(stream_).socket().close(ignored);
    open_ = false;
  }

 private:
  void connect(const tcp::resolver::results_type& found) {
    if (!hearer_.end) return;
    beast::get_lowest_layer(stream_).async_connect(
        found, [self = this->shared_from_this()](error_code error, const tcp::endpoint&) {
          if (error) return self->close(error);
          error_code ignored;
          auto& socket = beast::get_lowest_layer(self->stream_).socket();
          socket.set_option(tcp::no_delay(true), ignored);
          self->shake_hands();
        });
  }

  void shake_hands() {
    if constexpr (kTls) {
      stream_.set_verify_callback(asio::ssl::host_name_verification(host_));
      SSL_set_tlsext_host_name(stream_.native_handle(), host_.c_str());
      stream_.async_handshake(asio::ssl::stream_base::client,
                              [self = this->shared_from_this()](error_code error) {
                                if (error) return self->close(error);
                                self->write();
                              });
    } else {
      write();
    }
  }

  void write() {
    open_ = sent_ = true;
    parser_.emplace();
    parser_->body_limit(boost::none);
    http::async_write(stream_, request_,
                      [self = this->shared_from_this()](error_code error, std::size_t) {
                        if (error) return self->close(error);
                        self->read_head();
                      });
  }

  void read_head() {
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](error_code error, std::size_t) {
                              if (error) return self->close(error);
                              if (self->endless_) {
                                beast::get_lowest_layer(self->stream_).expires_never();
                              }
                              self->read_on();
                            });
  }

  void read_on() {
    if (!hearer_.end) return;
    std::string piece = std::exchange(parser_->get().body(), {});
    const bool last = parser_->is_done();
    const unsigned status = parser_->get().result_int();
    const auto hear = hearer_.piece;  // which may drop us
    if (!piece.empty() && hear) hear(status, std::move(piece));
    if (!hearer_.end) return;  // it has been dropped meanwhile
    if (last) {
      beast::get_lowest_layer(stream_).expires_never();
      if (!parser_->keep_alive()) open_ = false;
      return finish("");
    }
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = this->shared_from_this()](error_code error, std::size_t) {
                            if (error) return self->close(error);
                            self->read_on();
                          });
  }

  void close(const error_code& error) {
    open_ = false;
    error_code ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
    finish(error == beast::error::timeout ? "it is silent" : error.message());
  }

  void finish(const std::string& trouble) {
    const auto hearer = std::exchange(hearer_, {});
    if (hearer.end) hearer.end(trouble, sent_);
  }

  std::string host_, port_;
  tcp::resolver resolver_;
  Stream stream_;
  bool open_ = false, endless_ = false, sent_ = false;
  std::chrono::milliseconds limit_{};
  Hearer hearer_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  std::optional<http::response_parser<http::string_body>> parser_;
};

}  // namespace

EtcdLink::EtcdLink(asio::io_context& loop, Options options, Events events)
    : loop_(loop), options_(std::move(options)), events_(std::move(events)) {}

EtcdLink::~EtcdLink() {
  if (channel_) channel_->drop();
  if (watching_) watching_->drop();
}

base::Result<std::unique_ptr<EtcdLink>> EtcdLink::open(asio::io_context& loop, Options options,
                                                       Events events) {
  std::unique_ptr<EtcdLink> link(new EtcdLink(loop, std::move(options), std::move(events)));
  const auto ready = link->prepare();
  if (ready.has_error()) return ready.error();
  return link;
}

base::Result<void> EtcdLink::prepare() {
  for (const std::string& text : options_.endpoints) {
    std::string_view rest = text;
    const bool tls = rest.starts_with("https://");
    if (tls || rest.starts_with("http://")) rest.remove_prefix(rest.find("//") + 2);
    const auto colon = rest.rfind(':');
    const bool sound = rest.size() != text.size() && colon != std::string_view::npos &&
                       base::parse_number(rest.substr(colon + 1), 65535).has_value();
    if (!sound) {
      return base::error(
          fmt::format("replica.endpoints are https://HOST:PORT, not '{}'", base::printable(text)));
    }
    std::string_view host = rest.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    endpoints_.push_back({tls, std::string(host), std::string(rest.substr(colon + 1))});
  }
  tls_ = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls_->native_handle(), TLS1_2_VERSION);
  tls_->set_verify_mode(asio::ssl::verify_peer);
  error_code error;
  const auto wrong = [&](const std::string& file) {
    return base::error(fmt::format("{}: {}", file, error.message()));
  };
  if (options_.authority.empty()) {
    if (tls_->set_default_verify_paths(error)) return wrong("the system's authorities");
  } else if (tls_->load_verify_file(options_.authority, error)) {
    return wrong(options_.authority);
  }
  if (options_.certificate.empty()) return {};
  if (tls_->use_certificate_chain_file(options_.certificate, error)) {
    return wrong(options_.certificate);
  }
  if (tls_->use_private_key_file(options_.key, asio::ssl::context::pem, error)) {
    return wrong(options_.key);
  }
  return {};
}

std::shared_ptr<HttpChannel> EtcdLink::open_channel() {
  const Endpoint& to = endpoints_[at_];
  if (!to.tls) return std::make_shared<Channel<beast::tcp_stream>>(loop_, to.host, to.port);
  return std::make_shared<Channel<beast::ssl_stream<beast::tcp_stream>>>(loop_, to.host, to.port,
                                                                         *tls_);
}

void EtcdLink::next_endpoint() {
  if (channel_) channel_->drop();
  channel_.reset();
  at_ = (at_ + 1) % endpoints_.size();
}

void EtcdLink::ask(std::uint64_t id, store::Question question) {
  id_ = id;
  question_ = std::move(question);
  tried_ = 0;
  logged_in_ = false;
  attempt();
}

void EtcdLink::attempt() {
  if (!options_.user.empty() && token_.empty()) return login();
  if (!channel_) channel_ = open_channel();
  status_ = 0;
  body_.clear();
  auto request = store::to_etcd(question_);
  const bool reads = std::holds_alternative<store::Read>(question_);
  channel_->send({std::move(request.path), std::move(request.body), token_},
                 reads ? kReadLimit : kLimit, false,
                 {[this](unsigned status, std::string piece) {
                    status_ = status;
                    body_ += piece;
                  },
                  [this, alive = std::weak_ptr(alive_)](const std::string& trouble, bool sent) {
                    if (!alive.expired()) ended(trouble, sent);
                  }});
}

// A member that cannot be reached has done nothing, so the next one is asked. One that was asked
// may have: whoever asks knows how to find out.
void EtcdLink::ended(const std::string& trouble, bool sent) {
  if (!trouble.empty()) {
    const std::string where = endpoints_[at_].host + ":" + endpoints_[at_].port;
    next_endpoint();
    if (!sent && ++tried_ < endpoints_.size()) return attempt();
    return answer(store::NoAnswer{fmt::format("{}: {}", where, trouble)});
  }
  const bool may_again = !options_.user.empty() && !logged_in_;
  if (may_again && store::etcd_wants_login(status_, body_)) {
    token_.clear();
    return attempt();
  }
  auto understood = store::from_etcd(question_, status_, body_);
  // It may be one that has lost the others.
  if (std::holds_alternative<store::NoAnswer>(understood)) next_endpoint();
  answer(std::move(understood));
}

// Not within what called: it may be asked again at once.
void EtcdLink::answer(store::Answer answer) {
  events_.answer(id_, std::move(answer));
}

void EtcdLink::login() {
  logged_in_ = true;
  if (!channel_) channel_ = open_channel();
  status_ = 0;
  body_.clear();
  auto request = store::etcd_login(options_.user, options_.password);
  channel_->send({std::move(request.path), std::move(request.body), {}}, kLimit, false,
                 {[this](unsigned status, std::string piece) {
                    status_ = status;
                    body_ += piece;
                  },
                  [this, alive = std::weak_ptr(alive_)](const std::string& trouble, bool) {
                    if (alive.expired()) return;
                    if (!trouble.empty()) return ended(trouble, false);
                    auto token = store::etcd_token(status_, body_);
                    if (!token) return answer(store::NoAnswer{token.error().message});
                    token_ = std::move(*token);
                    attempt();
                  }});
}

void EtcdLink::watch(const store::KeyRange& range, store::Revision from) {
  end_watch();
  reader_ = {};
  watching_ = open_channel();
  auto request = store::etcd_watch(range, from);
  watching_->send({std::move(request.path), std::move(request.body), token_}, kLimit, true,
                  {[this](unsigned, std::string piece) {
                     auto changes = reader_.feed(piece);
                     if (!changes) return events_.watch_lost();
                     if (!changes->empty()) events_.changes(std::move(*changes));
                   },
                   [this, alive = std::weak_ptr(alive_)](const std::string&, bool) {
                     if (!alive.expired()) events_.watch_lost();
                   }});
}

void EtcdLink::end_watch() {
  if (watching_) watching_->drop();
  watching_.reset();
}

}  // namespace heddle::app
