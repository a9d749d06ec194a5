# Test functions. Sources find the project with LONGPOLE_SOURCE_DIR and LONGPOLE_BINARY_DIR.
function(_set_up_test_program name)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_compile_definitions(${name} PRIVATE
        LONGPOLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" LONGPOLE_BINARY_DIR="${CMAKE_BINARY_DIR}")
endfunction()

# What nearly every test includes, compiled once: Qt Test's headers cost more than most tests themselves. Qt defines each
# test's folders as macros, which would make the headers differ (they serve QFINDTESTDATA only).
function(add_precompiled_test_headers)
    add_library(test_flags INTERFACE)
    target_compile_options(test_flags INTERFACE -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR)
    # Out of precompiled headers g++ 12 takes std::string's own checks for overflows (GCC bug 105651 in another form).
    target_compile_options(test_flags INTERFACE
        "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
    # What takes time in a test is core's code; to optimise the test itself takes longer than it saves.
    target_compile_options(test_flags INTERFACE -O0)
    target_link_libraries(test_flags INTERFACE longpole_flags Qt6::Test)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp CONTENT "// carries the precompiled headers\n")
    set(_headers <QtTest> <algorithm> <filesystem> <fstream> <functional> <map> <optional> <set> <sstream> <string>
        <unordered_map> <vector>)
    _add_precompiled_headers(test_precompiled LINKS test_flags HEADERS ${_headers})
    if(LONGPOLE_BUILD_UI)
        _add_precompiled_headers(ui_test_precompiled LINKS test_flags Qt6::Widgets HEADERS <QtWidgets> <memory> ${_headers})
    endif()
endfunction()

function(_add_precompiled_headers name)
    cmake_parse_arguments(ARG "" "" "LINKS;HEADERS" ${ARGN})
    add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
    compile_without_cache(${name})
    target_link_libraries(${name} PRIVATE ${ARG_LINKS})
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# What all tests find in their environment. clang 14's AddressSanitizer misreads where glibc 2.36 keeps the variables of
# threads of a library that is loaded at run time, and looks for leaks at any address then.
set(_test_environment "QT_QPA_PLATFORM=offscreen")
if(LONGPOLE_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND _test_environment "ASAN_OPTIONS=intercept_tls_get_addr=0")
endif()

# add_unit_tests(tests_core_replay TESTS tst_replay tst_slack ... [SOURCES ...] LINKS core_replay ...): one program for the
# tests of a folder (Qt Test), of which each stays a test of its own: ctest calls `tests_core_replay tst_replay`. A test that
# needs a process made otherwise has a program for itself. Programs named tests_ui... have a QApplication.
function(add_unit_tests program)
    cmake_parse_arguments(ARG "" "" "TESTS;SOURCES;LINKS" ${ARGN})
    list(TRANSFORM ARG_TESTS APPEND .cpp OUTPUT_VARIABLE _sources)
    add_executable(${program} ${_sources} ${ARG_SOURCES})
    set(_prefix "")
    if(program MATCHES "^tests_ui")
        set(_prefix "ui_")
    endif()
    target_link_libraries(${program} PRIVATE test_flags ${_prefix}unit_test_main ${ARG_LINKS})
    target_precompile_headers(${program} REUSE_FROM ${_prefix}test_precompiled)
    target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
    compile_without_cache(${program})
    _set_up_test_program(${program})
    foreach(_test IN LISTS ARG_TESTS)
        # One call of moc, whose output the test includes: AUTOMOC takes four steps and an object file more.
        qt_generate_moc(${_test}.cpp ${CMAKE_CURRENT_BINARY_DIR}/${_test}.moc TARGET ${program})
        target_sources(${program} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${_test}.moc)
        add_test(NAME ${_test} COMMAND ${program} ${_test})
        set_tests_properties(${_test} PROPERTIES ENVIRONMENT "${_test_environment}" TIMEOUT 300)
    endforeach()
endfunction()

# add_stress_test(stress_replay LINKS core_replay): a plain program without Qt Test that calls core from several
# threads and returns 0 or 1; the only tests of preset tsan. Target stress_tests builds them all.
function(add_stress_test name)
    if(NOT name MATCHES "^stress_")
        message(FATAL_ERROR "add_stress_test(${name}): the name must start with stress_ (preset tsan selects by it)")
    endif()
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
    add_executable(${name} ${name}.cpp ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE longpole_flags ${ARG_LINKS} Threads::Threads)
    _set_up_test_program(${name})
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${_test_environment}" TIMEOUT 300)
    add_dependencies(stress_tests ${name})
endfunction()

# add_bench(bench_parser LINKS core_import LIBRARIES ...): a Google Benchmark program; ctest runs it for a moment only,
# to keep it working. Nothing where Google Benchmark is absent.
function(add_bench name)
    if(NOT benchmark_FOUND)
        return()
    endif()
    if(NOT name MATCHES "^bench_")
        message(FATAL_ERROR "add_bench(${name}): the name must start with bench_")
    endif()
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LIBRARIES" ${ARGN})
    add_executable(${name} ${name}.cpp ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE longpole_flags ${ARG_LINKS} ${ARG_LIBRARIES} benchmark::benchmark_main)
    _set_up_test_program(${name})
    add_test(NAME ${name} COMMAND ${name} --benchmark_min_time=0.001)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LONGPOLE_BENCH_SMOKE=1" TIMEOUT 300)
endfunction()

function(add_test_folders)
    foreach(_folder IN LISTS ARGN)
        add_subdirectory(${_folder})
    endforeach()
endfunction()
