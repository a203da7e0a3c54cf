// SPDX-License-Identifier: BSD-3-Clause
#include "doors/control/channel.hpp"

#include <istream>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace heddle::doors::control {
namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;
using nlohmann::json;

// A word of "arguments": numbers may be written as such.
std::optional<std::string> word_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return std::nullopt;
}

bool is_alive(boost::asio::io_context& loop, const std::filesystem::path& path) {
  stream_protocol::socket probe(loop);
  error_code error;
  probe.connect(stream_protocol::endpoint(path.string()), error);
  return !error;
}

}  // namespace

base::Result<std::string> decode_request(std::string_view text) {
  const auto refused = [](const char* why) {
    return base::error(
        fmt::format("{}; send {{\"line\": \"VERB ...\"}} or {{\"verb\": \"VERB\", "
                    "\"arguments\": [...]}}",
                    why));
  };
  const json request = json::parse(text, nullptr, false);
  if (!request.is_object()) return refused("this is no JSON object");
  if (const auto line = request.find("line"); line != request.end()) {
    if (!line->is_string()) return refused("\"line\" is no string");
    return {boost::system::in_place_value, line->get<std::string>()};
  }
  const auto verb = request.find("verb");
  if (verb == request.end() || !verb->is_string()) return refused("\"verb\" is missing");
  std::string line = verb->get<std::string>();
  const auto arguments = request.find("arguments");
  if (arguments == request.end()) return {boost::system::in_place_value, line};
  if (!arguments->is_array()) return refused("\"arguments\" is no list");
  std::vector<std::string> words;
  for (const json& argument : *arguments) {
    const auto word = word_of(argument);
    if (!word) return refused("an argument is neither a string nor a number");
    words.push_back(*word);
  }
  if (!words.empty()) line += " " + join_words(words);
  return {boost::system::in_place_value, line};
}

std::string encode_answer(const Outcome& outcome) {
  json answer{{"ok", outcome.ok()}};
  if (!outcome.ok()) {
    answer["error"] = outcome.error;
    if (outcome.column != 0) answer["column"] = outcome.column;
  }
  if (!outcome.text.empty()) answer["text"] = outcome.text;
  if (!outcome.json.empty()) answer["result"] = json::parse(outcome.json, nullptr, false);
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

// One who is connected. Lives as long as something is under way for it.
class Channel::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(stream_protocol::socket socket, Context context, std::shared_ptr<std::size_t> count)
      : socket_(std::move(socket)),
        context_(std::move(context)),
        count_(std::move(count)),
        pause_(socket_.get_executor()) {
    ++*count_;
  }
  ~Session() { --*count_; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    boost::asio::async_read_until(
        socket_, buffer_, '\n', [self = shared_from_this()](const error_code& error, std::size_t) {
          if (!error) return self->take();
          // Without a newline in all the buffer: it is told why, and left.
          if (error == boost::asio::error::not_found) self->refuse_long_line();
        });
  }

 private:
  void take() {
    std::istream stream(&buffer_);
    std::string text;
    std::getline(stream, text);
    const auto line = decode_request(text);
    Outcome outcome;
    if (line.has_error()) {
      outcome.error = line.error().message;
    } else {
      // Its answer must leave before the program ends.
      Context context = context_;
      context.quit = [this] { quits_ = true; };
      outcome = run_line(context, *line);
    }
    answer_ = encode_answer(outcome) + "\n";
    if (outcome.pause == base::Duration::zero()) return write();
    pause_.expires_after(outcome.pause);
    pause_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) self->write();
    });
  }

  void refuse_long_line() {
    Outcome outcome;
    outcome.error = fmt::format("a request has at most {} bytes", kLongestRequest);
    answer_ = encode_answer(outcome) + "\n";
    ends_ = true;
    write();
  }

  void write() {
    boost::asio::async_write(socket_, boost::asio::buffer(answer_),
                             [self = shared_from_this()](const error_code& error, std::size_t) {
                               if (self->quits_ && self->context_.quit) self->context_.quit();
                               if (!error && !self->ends_) self->read();
                             });
  }

  stream_protocol::socket socket_;
  Context context_;
  std::shared_ptr<std::size_t> count_;
  boost::asio::steady_timer pause_;
  boost::asio::streambuf buffer_{kLongestRequest};
  std::string answer_;
  bool quits_ = false;
  bool ends_ = false;
};

Channel::Channel(boost::asio::io_context& loop, std::filesystem::path path, Context context)
    : loop_(loop),
      path_(std::move(path)),
      context_(std::move(context)),
      acceptor_(loop),
      again_(loop) {}

Channel::~Channel() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

base::Result<std::unique_ptr<Channel>> Channel::listen(boost::asio::io_context& loop,
                                                       const std::filesystem::path& path,
                                                       Context context) {
  if (path.string().size() >= sizeof(sockaddr_un{}.sun_path)) {
    return base::error(fmt::format("the path {} is too long for a socket", path.string()));
  }
  if (is_alive(loop, path)) {
    return base::error(fmt::format("a fabric listens on {} already", path.string()));
  }
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  stream_protocol::acceptor acceptor(loop);
  error_code error;
  acceptor.open(stream_protocol(), error);
  // Born for its owner alone.
  const mode_t mask = ::umask(S_IRWXG | S_IRWXO);
  if (!error) acceptor.bind(stream_protocol::endpoint(path.string()), error);
  ::umask(mask);
  if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) {
    return base::error(fmt::format("cannot listen on {}: {}", path.string(), error.message()));
  }
  std::unique_ptr<Channel> channel(new Channel(loop, path, std::move(context)));
  channel->acceptor_ = std::move(acceptor);
  channel->accept();
  return {boost::system::in_place_value, std::move(channel)};
}

void Channel::accept() {
  acceptor_.async_accept([this](const error_code& error, stream_protocol::socket socket) {
    if (error == boost::asio::error::operation_aborted) return;
    if (error) return accept_later();
    // One too many is closed at once.
    if (*sessions_ < kMostSessions) {
      std::make_shared<Session>(std::move(socket), context_, sessions_)->read();
    }
    accept();
  });
}

// Out of files, most likely: whoever waits in the queue waits a little longer.
void Channel::accept_later() {
  constexpr auto kBreath = std::chrono::milliseconds(200);
  again_.expires_after(kBreath);
  again_.async_wait([this](const error_code& error) {
    if (!error) accept();
  });
}

base::Result<std::string> ask(const std::filesystem::path& path, const std::string& request) {
  boost::asio::io_context loop;
  stream_protocol::socket socket(loop);
  error_code error;
  if (path.string().size() < sizeof(sockaddr_un{}.sun_path)) {
    socket.connect(stream_protocol::endpoint(path.string()), error);
  } else {
    error = boost::asio::error::name_too_long;
  }
  if (error) {
    return base::error(fmt::format("no fabric listens on {}: {}", path.string(), error.message()));
  }
  boost::asio::write(socket, boost::asio::buffer(request + "\n"), error);
  std::string answer;
  if (!error) boost::asio::read_until(socket, boost::asio::dynamic_buffer(answer), '\n', error);
  if (error) return base::error("the fabric went away before it answered");
  answer.pop_back();
  return {boost::system::in_place_value, std::move(answer)};
}

}  // namespace heddle::doors::control
