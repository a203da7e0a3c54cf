// SPDX-License-Identifier: BSD-3-Clause
#include "doors/refusal.hpp"

#include "mad/mad_header.hpp"

namespace heddle::doors {

std::optional<mad::Datagram> refusal_of(const mad::Datagram& request) {
  constexpr std::size_t kHeaderBytes = mad::kBytes<mad::MADHeader>;
  if (request.peer.qpn != 1 || request.payload.size() < kHeaderBytes) return std::nullopt;
  auto header = mad::decode<mad::MADHeader>(std::span(request.payload).first<kHeaderBytes>());
  if (header.method != mad::Method::Get && header.method != mad::Method::Set) return std::nullopt;
  header.method = mad::Method::GetResp;
  header.status = mad::kStatusBadMethodAttribute;
  mad::Datagram answer = request;
  mad::encode(header, std::span<std::byte>(answer.payload).first<kHeaderBytes>());
  return answer;
}

}  // namespace heddle::doors
