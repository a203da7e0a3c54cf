// SPDX-License-Identifier: BSD-3-Clause
// How the questions of store/key_values.hpp are put to etcd's JSON gateway, and how its answers
// read: https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/key_values.hpp"

namespace heddle::store {

// One POST.
struct EtcdRequest {
  std::string path;
  std::string body;
};
EtcdRequest to_etcd(const Question& question);
// What came back with this status; NoAnswer with what etcd says when it refuses.
Answer from_etcd(const Question& question, unsigned status, std::string_view body);
// The token of what etcd wants to be sent again with a new one.
bool etcd_wants_login(unsigned status, std::string_view body);

EtcdRequest etcd_login(std::string_view user, std::string_view password);
base::Result<std::string> etcd_token(unsigned status, std::string_view body);

EtcdRequest etcd_watch(const KeyRange& range, Revision from);

// What a watch says, put together from whatever pieces it comes in.
class EtcdWatchReader {
 public:
  static constexpr std::size_t kMaxLine = 256u << 20;

  // An error when the watch has ended, or cannot be understood.
  base::Result<std::vector<Changed>> feed(std::string_view piece);

 private:
  std::string begun_;
};

}  // namespace heddle::store
