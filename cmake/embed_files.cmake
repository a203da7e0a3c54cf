# Run as a script (cmake -P): turns files into a C++ source that holds them, for api/pages.hpp.
#   FILES   separated by blanks; each is known by its name without folders
#   OUT     the source that is written
separate_arguments(FILES)
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "constexpr unsigned char k_${number}[] = {\n${hex}\n};\n")
  get_filename_component(name "${file}" NAME)
  string(APPEND rows "    {\"${name}\", as_text(k_${number}, sizeof k_${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUT}" "// Made by cmake/embed_files.cmake; do not edit.
#include <cstddef>

#include \"api/pages.hpp\"

namespace heddle::api {
namespace {

${arrays}
std::string_view as_text(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

const Page kPages[] = {
${rows}};

}  // namespace

std::span<const Page> pages() { return kPages; }

}  // namespace heddle::api
")
