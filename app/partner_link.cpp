// SPDX-License-Identifier: BSD-3-Clause
#include "app/partner_link.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>

namespace heddle::app {
namespace {

namespace asio = boost::asio;
using asio::ssl::context;

// What is given to the stream in one go.
constexpr std::size_t kAtOnce = 65536;

// OpenSSL asks for the secret by a plain function, which finds it by the context.
int secret_index() {
  static const int index = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* secret, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<std::string*>(secret);
      });
  return index;
}

unsigned copy_secret(SSL* ssl, unsigned char* to, unsigned room) {
  const auto* secret =
      static_cast<const std::string*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), secret_index()));
  if (secret == nullptr || secret->size() > room) return 0;
  std::copy(secret->begin(), secret->end(), to);
  return static_cast<unsigned>(secret->size());
}

constexpr char kIdentity[] = "heddle";

unsigned client_secret(SSL* ssl, const char*, char* identity, unsigned identity_room,
                       unsigned char* to, unsigned room) {
  if (identity_room < sizeof kIdentity) return 0;
  std::copy(std::begin(kIdentity), std::end(kIdentity), identity);
  return copy_secret(ssl, to, room);
}

unsigned server_secret(SSL* ssl, const char* identity, unsigned char* to, unsigned room) {
  return identity != nullptr && std::string_view(identity) == kIdentity ? copy_secret(ssl, to, room)
                                                                        : 0;
}

// A key exchange of their own besides: who learns the secret later cannot read what was said.
bool use_secret(context& tls, const std::string& secret) {
  SSL_CTX* native = tls.native_handle();
  auto kept = std::make_unique<std::string>(secret);
  if (SSL_CTX_set_ex_data(native, secret_index(), kept.get()) != 1) return false;
  (void)kept.release();
  SSL_CTX_set_psk_client_callback(native, client_secret);
  SSL_CTX_set_psk_server_callback(native, server_secret);
  return SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_max_proto_version(native, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(native, "ECDHE-PSK-CHACHA20-POLY1305") == 1;
}

}  // namespace

base::Result<PartnerTls> make_partner_tls(const PartnerKeys& keys, bool server) {
  auto tls = std::make_unique<context>(server ? context::tls_server : context::tls_client);
  if (!keys.secret.empty()) {
    if (!use_secret(*tls, keys.secret)) return base::error("OpenSSL takes no shared secret");
    return PartnerTls{std::move(tls)};
  }
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_3_VERSION);
  boost::system::error_code error;
  const auto wrong = [&](const std::string& file) {
    return base::error(fmt::format("{}: {}", file, error.message()));
  };
  if (tls->use_certificate_chain_file(keys.certificate, error)) return wrong(keys.certificate);
  if (tls->use_private_key_file(keys.key, context::pem, error)) return wrong(keys.key);
  if (tls->load_verify_file(keys.authority, error)) return wrong(keys.authority);
  tls->set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
  return PartnerTls{std::move(tls)};
}

PartnerLink::PartnerLink(asio::ip::tcp::socket socket, context& tls, Events events)
    : stream_(std::move(socket), tls), events_(std::move(events)) {}

void PartnerLink::start(bool server) {
  boost::system::error_code ignored;
  stream_.lowest_layer().set_option(asio::ip::tcp::no_delay(true), ignored);
  using Stream = decltype(stream_);
  stream_.async_handshake(server ? Stream::server : Stream::client,
                          [self = shared_from_this()](const boost::system::error_code& error) {
                            if (self->closed_) return;
                            if (error) return self->close(error.message());
                            self->open_ = true;
                            self->heard_last = std::chrono::steady_clock::now();
                            self->events_.opened(*self);
                            self->read();
                          });
}

void PartnerLink::read() {
  stream_.async_read_some(
      asio::buffer(piece_),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t size) {
        if (self->closed_) return;
        if (error) return self->close(error.message());
        self->heard_last = std::chrono::steady_clock::now();
        auto messages = self->reader_.feed({self->piece_.data(), size});
        if (!messages) return self->close(messages.error().message);
        for (store::Message& message : *messages) {
          self->events_.heard(*self, message);
          if (self->closed_) return;
        }
        self->read();
      });
}

void PartnerLink::say(const store::Message& message) {
  if (!open_ || closed_) return;
  waiting_.push_back(store::to_lines(message));
  waiting_bytes_ += waiting_.back().size();
  said_ += waiting_.back().size();
  if (waiting_bytes_ > kMaxWaiting) return close("the other side does not keep up");
  if (!writing_) write();
}

void PartnerLink::say_all(const store::State& state) {
  say(state);
  all_ends_ = said_;
}

// The kernel knows what the other one has not acknowledged. It counts what TLS adds, too: what has
// arrived is rather more than this says.
bool PartnerLink::arrives() {
  if (closed_ || arrived_ >= all_ends_) return false;
  int missing = 0;
  if (::ioctl(stream_.lowest_layer().native_handle(), SIOCOUTQ, &missing) != 0) return false;
  const std::uint64_t arrived = sent_ - std::min(sent_, static_cast<std::uint64_t>(missing));
  if (arrived <= arrived_) return false;
  arrived_ = arrived;
  return true;
}

// What waits goes out together: a record of TLS for each line would cost more than the line.
void PartnerLink::write() {
  if (waiting_.empty() || closed_) return;
  writing_ = true;
  auto out = std::make_shared<std::string>(std::move(waiting_.front()));
  waiting_.pop_front();
  constexpr std::size_t kTogether = 1u << 20;
  while (!waiting_.empty() && out->size() + waiting_.front().size() < kTogether) {
    *out += waiting_.front();
    waiting_.pop_front();
  }
  const auto as_it_goes = [self = shared_from_this(), before = sent_](
                              const boost::system::error_code& error, std::size_t size) {
    self->sent_ = before + size;
    return error ? std::size_t{0} : kAtOnce;
  };
  asio::async_write(
      stream_, asio::buffer(*out), as_it_goes,
      [self = shared_from_this(), out](const boost::system::error_code& error, std::size_t size) {
        self->writing_ = false;
        self->waiting_bytes_ -= std::min(size, self->waiting_bytes_);
        if (self->closed_) return;
        if (error) return self->close(error.message());
        self->write();
      });
}

void PartnerLink::drop() {
  if (std::exchange(closed_, true)) return;
  boost::system::error_code ignored;
  stream_.lowest_layer().close(ignored);
}

void PartnerLink::close(const std::string& why) {
  if (closed_) return;
  drop();
  events_.closed(*this, why);
}

}  // namespace heddle::app
