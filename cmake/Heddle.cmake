# What every target of the house shares: warnings, sanitizers, include root.
add_library(heddle_flags INTERFACE)
target_include_directories(heddle_flags INTERFACE ${PROJECT_SOURCE_DIR})
# Warnings are no errors for whoever only builds: other flags raise other false alarms.
target_compile_options(heddle_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${HEDDLE_WERROR}>:-Werror> -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of g++ 12 at -O3: in std::string's operator+ (its bug 105651), and in
  # boost::container::small_vector, whose heap and inline storage it takes for one.
  target_compile_options(heddle_flags INTERFACE
    -Wno-restrict -Wno-stringop-overread $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND HEDDLE_UNITY)
  # A class of a source's own namespace stands in no header just because that source is included.
  target_compile_options(heddle_flags INTERFACE -Wno-subobject-linkage)
endif()
if(HEDDLE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HEDDLE_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++-14")
  endif()
  # Everything is compiled for coverage and with the sanitizers, so that a fuzz target sees into the
  # libraries it links; only the targets themselves link libFuzzer (tests/fuzz).
  if(NOT HEDDLE_SANITIZE)
    set(HEDDLE_SANITIZE address,undefined)
  endif()
  target_compile_options(heddle_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_flags INTERFACE
    -fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZE})
endif()

# heddle_together(UNITS NAME SOURCES...): compiles six sources at a time, as one, and sets UNITS to
# what is left to compile. Reading headers is most of the compiler's work, so that takes a third of
# the time. What a source keeps to itself shares a namespace with its neighbours then, and the
# compiler tells of a name that is taken. Each source still includes what it uses, for neighbours
# change (HEDDLE_UNITY=OFF shows who does not). CMake's own units name their sources by absolute
# paths, and then no other folder's build finds in ccache what this one left there.
function(heddle_together units name)
  set(alone)
  set(together)
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(path IN_LIST HEDDLE_APART OR NOT HEDDLE_UNITY)
      list(APPEND alone ${source})
    else()
      list(APPEND together ${path})
    endif()
  endforeach()
  set(number 0)
  while(together)
    list(SUBLIST together 0 6 six)
    list(REMOVE_ITEM together ${six})
    set(lines)
    foreach(path ${six})
      string(APPEND lines "#include \"${path}\"\n")
    endforeach()
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/together/${name}_${number}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${lines}" @ONLY)
    list(APPEND alone ${unit})
    math(EXPR number "${number} + 1")
  endwhile()
  set(${units} ${alone} PARENT_SCOPE)
endfunction()

# heddle_unoptimised_when_sanitized(SOURCES...), before their room: for those that are mostly other
# people's templates, on which the optimiser spends minutes once sanitizers have filled them with
# checks. In every build they are compiled alone: each is as much work as six others.
macro(heddle_unoptimised_when_sanitized)
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND HEDDLE_APART ${path})
  endforeach()
  if(HEDDLE_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O0)
  endif()
endmacro()

# heddle_room(NAME SOURCES ... USES rooms and libraries this one may include)
function(heddle_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  heddle_together(units ${name} ${ARG_SOURCES})
  add_library(heddle_${name} STATIC ${units})
  target_link_libraries(heddle_${name} PUBLIC heddle_flags ${ARG_USES})
endfunction()

# heddle_test(NAME SOURCES ... USES ... LABELS ... [OPTIMISED]): one GoogleTest program, each case a
# CTest test. What takes time in a unit test is the compiler, so it is not optimised unless that is
# asked for; in the others it is the test.
function(heddle_test name)
  cmake_parse_arguments(ARG "OPTIMISED" "" "SOURCES;USES;LABELS" ${ARGN})
  heddle_together(units test_${name} ${ARG_SOURCES})
  add_executable(test_${name} ${units})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  target_link_libraries(test_${name} PRIVATE heddle_flags ${ARG_USES} GTest::gmock_main)
  if(ARG_LABELS STREQUAL unit AND NOT ARG_OPTIMISED)
    target_compile_options(test_${name} PRIVATE -O0)
  endif()
  if(HEDDLE_SANITIZE)
    heddle_in_shards(${name} 8 "${ARG_LABELS}")
    return()
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
    PROPERTIES TIMEOUT 120 LABELS "${ARG_LABELS}")
endfunction()

# heddle_in_shards(NAME COUNT LABELS): many cases to a process. With sanitizers a process takes
# longer to begin and to look for leaks than most cases take; each alone they run in the other
# build.
function(heddle_in_shards name count labels)
  math(EXPR last "${count} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.shard_${shard} COMMAND test_${name})
    set_tests_properties(${name}.shard_${shard} PROPERTIES TIMEOUT 600 LABELS "${labels}"
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
