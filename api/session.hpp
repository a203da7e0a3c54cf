// SPDX-License-Identifier: BSD-3-Clause
// One connection of the server: requests one after the other, each answered before the next is
// read. Only for api/serve_*.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include "api/access.hpp"
#include "api/handler.hpp"
#include "api/serve.hpp"
#include "api/server.hpp"

namespace heddle::api {

template <class Stream>
class Session : public Waiter, public std::enable_shared_from_this<Session<Stream>> {
 public:
  // `caller`: nothing when each request must say it.
  Session(Host& host, Stream stream, std::optional<Caller> caller)
      : host_(host), stream_(std::move(stream)), caller_(std::move(caller)) {}
  ~Session() override {
    if (follows_) host_.end_stream();
    host_.left();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() {
    if constexpr (kHasTls) {
      lowest().expires_after(host_.patience());
      stream_.async_handshake(boost::asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](Error error) {
                                if (!error) self->read();
                              });
    } else {
      read();
    }
  }

  void on_news(bool idle) override { later_ ? try_later() : next_piece(idle); }

 private:
  using Error = boost::beast::error_code;
  // What a page from here may do: its own files and this server's answers, in no frame of others.
  static constexpr const char* kPolicy =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  static constexpr bool kHasTls = requires(Stream & s) { s.next_layer(); };

  auto& lowest() { return boost::beast::get_lowest_layer(stream_); }

  void read() {
    parser_.emplace();
    parser_->header_limit(kMaxHeaderBytes);
    parser_->body_limit(kMaxBodyBytes);
    lowest().expires_after(host_.patience());
    namespace http = boost::beast::http;
    http::async_read(
        stream_, buffer_, *parser_,
        [self = this->shared_from_this()](Error error, std::size_t) { self->on_read(error); });
  }

  void on_read(Error error) {
    namespace http = boost::beast::http;
    if (!error) return take();
    if (error == http::error::end_of_stream || error == http::error::partial_message) {
      return close();
    }
    const bool theirs =
        error.category() == http::make_error_code(http::error::bad_method).category();
    if (!theirs) return;  // gone, or silent for too long
    ends_ = true;
    if (error == http::error::header_limit) {
      return send(refusal(431, "the header is too long"));
    }
    if (error == http::error::body_limit) return send(refusal(413, "the body is too long"));
    send(refusal(400, "this is no HTTP request"));
  }

  void take() {
    namespace http = boost::beast::http;
    const auto& message = parser_->get();
    const auto view = [&](http::field field) {
      const auto text = message[field];
      return std::string_view(text.data(), text.size());
    };
    ends_ = !message.keep_alive();
    old_ = message.version() < 11;
    head_ = message.method() == http::verb::head;
    const Caller caller =
        caller_ ? *caller_
                : host_.caller(view(http::field::authorization), view(http::field::host));
    Request request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    request.body = message.body();
    request.last_event_id = std::string(message["Last-Event-ID"]);
    request.role = caller.role;
    send(host_.answer(request, caller));
  }

  template <class Message>
  void prepare(Message& message, const Response& response) const {
    namespace http = boost::beast::http;
    message.result(response.status);
    message.version(old_ ? 10 : 11);
    message.set(http::field::content_type, response.type);
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    message.set("Content-Security-Policy", kPolicy);
    message.set("Referrer-Policy", "no-referrer");
    if (response.status == 401) message.set(http::field::www_authenticate, "Bearer");
    if (!response.allow.empty()) message.set(http::field::allow, response.allow);
    if (!response.location.empty()) message.set(http::field::location, response.location);
    message.keep_alive(!ends_);
  }

  void send(Response response) {
    if (response.later) {
      later_ = std::move(response.later);
      return try_later();
    }
    if (response.pieces && old_) return send(refusal(505, "this needs HTTP/1.1"));
    if (response.pieces && response.type == "text/event-stream") {
      if (!host_.begin_stream()) return send(refusal(503, "too many follow the events already"));
      follows_ = true;
    }
    if (response.pieces) return send_pieces(std::move(response));
    whole_ = {};
    prepare(whole_, response);
    whole_.content_length(response.body.size());
    if (!head_) whole_.body() = std::move(response.body);
    lowest().expires_after(host_.patience());
    const auto then = [self = this->shared_from_this()](Error error, std::size_t) {
      if (!error) self->after_answer();
    };
    if (!head_) return boost::beast::http::async_write(stream_, whole_, then);
    // Its length is told although there is no body.
    whole_head_.emplace(whole_);
    boost::beast::http::async_write_header(stream_, *whole_head_, then);
  }

  void try_later() {
    auto response = later_();
    if (!response) {
      lowest().expires_never();
      return host_.wait(this->shared_from_this());
    }
    later_ = nullptr;
    send(std::move(*response));
  }

  void send_pieces(Response response) {
    namespace http = boost::beast::http;
    heading_ = {};
    prepare(heading_, response);
    heading_.chunked(true);
    heading_writer_.emplace(heading_);
    pieces_ = std::move(response.pieces);
    lowest().expires_after(host_.patience());
    http::async_write_header(stream_, *heading_writer_,
                             [self = this->shared_from_this()](Error error, std::size_t) {
                               if (error) return;
                               self->head_ ? self->after_answer() : self->next_piece(false);
                             });
  }

  void next_piece(bool idle) {
    namespace http = boost::beast::http;
    const auto piece = pieces_();
    lowest().expires_after(host_.patience());
    if (!piece) {
      return boost::asio::async_write(stream_, http::make_chunk_last(),
                                      [self = this->shared_from_this()](Error error, std::size_t) {
                                        if (!error) self->after_answer();
                                      });
    }
    // A comment, so that a reader that is gone is noticed.
    piece_ = piece->empty() && idle ? ": none\n\n" : std::move(*piece);
    if (piece_.empty()) {
      lowest().expires_never();
      return host_.wait(this->shared_from_this());
    }
    boost::asio::async_write(stream_, http::make_chunk(boost::asio::buffer(piece_)),
                             [self = this->shared_from_this()](Error error, std::size_t) {
                               if (!error) self->next_piece(false);
                             });
  }

  void after_answer() {
    pieces_ = nullptr;
    // HEAD has the header of the stream, and nothing of it.
    if (std::exchange(follows_, false)) host_.end_stream();
    if (ends_) return close();
    read();
  }

  void close() {
    if constexpr (kHasTls) {
      lowest().expires_after(host_.patience());
      stream_.async_shutdown([self = this->shared_from_this()](Error) {});
    } else {
      Error ignored;
      lowest().socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
    }
  }

  Host& host_;
  Stream stream_;
  std::optional<Caller> caller_;
  boost::beast::flat_buffer buffer_{kMaxHeaderBytes + kMaxBodyBytes};
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  boost::beast::http::response<boost::beast::http::string_body> whole_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::string_body>>
      whole_head_;
  boost::beast::http::response<boost::beast::http::empty_body> heading_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::empty_body>>
      heading_writer_;
  Pieces pieces_;
  std::function<std::optional<Response>()> later_;
  std::string piece_;
  bool follows_ = false;
  bool ends_ = false;
  bool old_ = false;   // HTTP/1.0
  bool head_ = false;  // no body is wanted
};

}  // namespace heddle::api
