// SPDX-License-Identifier: BSD-3-Clause
// Errors at the edges: bytes from the wire and files from users come back as a Result, never as an
// exception. Trouble in the fabric is not an error but an input (docs/architecture.md).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <boost/system/result.hpp>

namespace heddle::base {

// A sentence for a person: what is wrong, where, and if possible what to do. No trailing period.
struct Error {
  std::string message;
  friend bool operator==(const Error&, const Error&) = default;
};

// Found by boost::system::result when value() is called on an error: that is a bug of ours.
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw std::logic_error("unchecked error: " + error.message);
}

template <class T = void>
using Result = boost::system::result<T, Error>;

inline Error error(std::string message) {
  return Error{std::move(message)};
}

}  // namespace heddle::base
