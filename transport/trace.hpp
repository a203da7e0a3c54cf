// SPDX-License-Identifier: BSD-3-Clause
// Shows every MAD that passes, one line each. What a line says is the caller's choice.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "transport/transport.hpp"

namespace heddle::transport {

enum class Passing : std::uint8_t { Sent, Arrived, GivenBack };

// Makes a line of a MAD; an empty line is not shown.
using LineMaker = std::function<std::string(Passing, const mad::Datagram&)>;
using LineSink = std::function<void(const std::string&)>;

// `inner` must outlive the trace.
class Trace final : public Transport {
 public:
  Trace(Transport& inner, LineMaker make_line, LineSink sink)
      : inner_(inner), make_line_(std::move(make_line)), sink_(std::move(sink)) {}

  void set_receiver(Receiver receiver) override {
    inner_.set_receiver([this, receiver = std::move(receiver)](std::span<Received> batch) {
      for (const Received& received : batch) {
        const bool message = received.arrival == Arrival::Message;
        show(message ? Passing::Arrived : Passing::GivenBack, received.datagram);
      }
      receiver(batch);
    });
  }

  void send(mad::Datagram datagram) override {
    show(Passing::Sent, datagram);
    inner_.send(std::move(datagram));
  }

  void set_is_sm(bool is_sm) override { inner_.set_is_sm(is_sm); }

 private:
  void show(Passing passing, const mad::Datagram& datagram) const {
    const std::string line = make_line_(passing, datagram);
    if (!line.empty()) sink_(line);
  }

  Transport& inner_;
  LineMaker make_line_;
  LineSink sink_;
};

}  // namespace heddle::transport
