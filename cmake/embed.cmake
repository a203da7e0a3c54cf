# Run as a script (cmake -P): turns the page of a report into a C++ source.
#   PAGE, STYLE   files that are taken as they are
#   SCRIPTS       ES modules, in an order in which nobody is needed before it is there; they become
#                 one script: without their imports, and with nothing exported
#   OUT, HEADER   the source that is written, and the header that declares its three functions
set(scripts "")
separate_arguments(SCRIPTS)
foreach(file IN LISTS SCRIPTS)
  file(READ "${file}" text)
  string(REGEX REPLACE "(^|\n)import [^;]*;" "\\1" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  string(APPEND scripts "${text}")
endforeach()

function(to_array text name result)
  string(HEX "${text}" hex)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  set(${result} "constexpr unsigned char ${name}[] = {\n${hex}\n};\n" PARENT_SCOPE)
endfunction()

file(READ "${PAGE}" page)
file(READ "${STYLE}" style)
set(source "// Made by cmake/embed.cmake; do not edit.\n#include \"${HEADER}\"\n\n")
string(APPEND source "namespace heddle::plan {\nnamespace {\n")
foreach(part page style scripts)
  to_array("${${part}}" "k_${part}" array)
  string(APPEND source "${array}")
endforeach()
string(APPEND source "std::string_view as_text(const unsigned char* bytes, std::size_t size) {\n"
  "  return {reinterpret_cast<const char*>(bytes), size};\n}\n}  // namespace\n\n"
  "std::string_view web_page() { return as_text(k_page, sizeof k_page); }\n"
  "std::string_view web_style() { return as_text(k_style, sizeof k_style); }\n"
  "std::string_view web_scripts() { return as_text(k_scripts, sizeof k_scripts); }\n\n"
  "}  // namespace heddle::plan\n")
file(WRITE "${OUT}" "${source}")
