// SPDX-License-Identifier: BSD-3-Clause
// What a program with a umad file of the ring door and the fabric share: memory with a ring in each
// direction, and the few packets of the socket by which files are opened and called. Both ends are
// of one build. Neither the program's library nor this may need more than libc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::doors::ring {

// --- shared memory ------------------------------------------------------------------------------

inline constexpr std::uint32_t kRingBytes = 256 * 1024;  // a power of two
// A longer message goes by a file in memory of its own.
inline constexpr std::uint32_t kMostInline = 16 * 1024;

// In front of each message, at multiples of its size.
struct alignas(16) Frame {
  std::uint32_t size = 0;     // that follow; the next frame begins at the next multiple of 16
  std::uint32_t least = 0;    // a read with less room is refused as too small for any message
  std::uint64_t message = 0;  // the whole message's size: more than `size` if it goes by a file
};
static_assert(sizeof(Frame) == 16 && kRingBytes % sizeof(Frame) == 0);

// One writer, one reader. The numbers count bytes since the begin and never go back; whoever reads
// the other's holds them against its own.
struct Direction {
  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> read;
  alignas(64) std::atomic<std::uint32_t> reader_sleeps;  // and wants to be told of what comes
  alignas(64) std::atomic<std::uint32_t> writer_waits;   // for room; also a futex
  alignas(64) std::byte bytes[kRingBytes];
};
struct Shared {
  Direction to_program;
  Direction to_fabric;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// --- the socket ---------------------------------------------------------------------------------

// A packet of one byte from a program that has a umad file open: something is in its ring. The
// fabric's word of the same goes by a socket of its own, on which programs sleep: who sleeps on a
// socket that it has sent by is woken for nothing when that is received.

enum class Ask : std::uint32_t {
  Open = 1,  // command: the flags of open(2). Names follow, each with a NUL: a path below the
             // host's tree, then where the host is, as plan_host takes it
  // Of an open umad file:
  Ioctl,  // command and argument
  Write,  // a message of `size` bytes in the file that comes along; not in a ring because it is
          // long
  Take,   // the long message that the next frame announces, as a file
  Close,  // answered when the file is closed
};

inline constexpr std::size_t kArgumentBytes = 48;  // of an ioctl
struct Question {
  Ask what = Ask::Open;
  std::uint32_t command = 0;
  std::uint64_t size = 0;
  std::byte argument[kArgumentBytes] = {};
};

enum class Kind : std::uint32_t {
  Folder,  // text follows: for the host's root, where its tree is to be seen
  Text,    // with the text in a file
  Umad,    // with the Shared memory, and a socket: a byte in it wakes the program
  IsSm,    // held as long as the connection
};
struct Reply {
  std::int32_t error = 0;  // an errno; a sentence may follow
  Kind kind = Kind::Folder;
  std::uint64_t size = 0;
  std::byte argument[kArgumentBytes] = {};
};

inline constexpr std::size_t kMostNames = 16 * 1024;  // bytes behind a Question
inline constexpr std::size_t kMostText = 4 * 1024;    // bytes behind a Reply

// --- what a program's environment says ----------------------------------------------------------

inline constexpr const char* kSocketVariable = "HEDDLE_RING";     // the door's socket
inline constexpr const char* kTreeVariable = "HEDDLE_RING_TREE";  // the host's tree, to be seen
inline constexpr const char* kPlaceVariable = "HEDDLE_RING_AT";   // names of nodes, one a line

}  // namespace heddle::doors::ring
