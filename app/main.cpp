// SPDX-License-Identifier: BSD-3-Clause
#include <exception>

#include "app/cli.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/kept_heap.hpp"

int main(int argc, char** argv) {
  try {
    heddle::app::keep_freed_memory();
    return heddle::app::run(argc, argv);
  } catch (const std::exception& failure) {
    heddle::app::complain(failure.what());
    return static_cast<int>(heddle::app::Exit::Internal);
  }
}
