// SPDX-License-Identifier: BSD-3-Clause
// A small file that is read and written whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace heddle::store {

// More is refused: a full subnet takes a few MB.
inline constexpr std::size_t kMaxTextFileBytes = 64u << 20;

// A plain string would do, but could also be taken for an error's message.
struct Content {
  std::string text;
};

class TextFile {
 public:
  enum class Readers { Everybody, Owner };

  // `what` says in errors what the file is: "LID memory: cannot open ...".
  TextFile(std::filesystem::path file, std::string_view what)
      : file_(std::move(file)), what_(what) {}

  // Empty when there is no such file; one that cannot be read is an error.
  base::Result<Content> read() const;
  // For a file that somebody named: that it is empty or not there is an error too.
  base::Result<Content> read_named() const;
  // Writes beside the file, syncs, renames: after a crash or on a full disk the old content stands
  // whole. A device or a pipe (/dev/null) is written to: a file must not take its place. Who may
  // read it does not depend on who could read the old one.
  base::Result<void> replace(std::string_view text, Readers readers = Readers::Everybody) const;
  // Reads it and removes it, if it is a file: what is found was written since the last time.
  base::Result<Content> take() const;

 private:
  base::Error failure(std::string_view doing, const std::filesystem::path& file, int reason) const;
  base::Result<void> write_beside(const std::filesystem::path& beside, std::string_view text,
                                  Readers readers) const;
  base::Result<void> write_in_place(std::string_view text) const;
  base::Result<void> sync_folder(const std::filesystem::path& folder) const;

  std::filesystem::path file_;
  std::string_view what_;
};

}  // namespace heddle::store
