# Every outside library, found in one place. Required ones stop the configuration with their Debian package's name;
# optional ones print one summary line.
find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)           # libsqlite3-dev: the project file
find_package(Eigen3 3.4 REQUIRED NO_MODULE) # libeigen3-dev: clock alignment
find_package(nlohmann_json 3.11 REQUIRED)   # nlohmann-json3-dev: configuration files, --json
find_package(ZLIB REQUIRED)              # zlib1g-dev: writes .gz files
find_package(PkgConfig REQUIRED)
find_package(CLI11 2.1 REQUIRED)       # libcli11-dev: options of the command line
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd) # libzstd-dev: column chunks of the project file
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal) # libisal-dev: inflates .gz and .zip bundles
find_package(Qt6 6.4 REQUIRED COMPONENTS Core)
find_package(QuaZip-Qt6 REQUIRED)        # libquazip1-qt6-dev: .zip bundles
if(LONGPOLE_BUILD_UI)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Gui Widgets Charts Svg Concurrent PrintSupport LinguistTools)
endif()
if(LONGPOLE_BUILD_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
endif()
if(LONGPOLE_BUILD_BENCH)
    find_package(benchmark QUIET)        # libbenchmark-dev
endif()

# The collectors declare what they use of CUPTI and NCCL themselves; CUDA's headers only serve to compare.
find_package(CUDAToolkit QUIET)
set(_found "")
foreach(_pair "benchmarks:${benchmark_FOUND}" "CUDA's headers, to compare with:${CUDAToolkit_FOUND}")
    string(REGEX MATCH "^([^:]*):(.*)$" _ "${_pair}")
    if(CMAKE_MATCH_2)
        string(APPEND _found " ${CMAKE_MATCH_1}: yes.")
    else()
        string(APPEND _found " ${CMAKE_MATCH_1}: no.")
    endif()
endforeach()
message(STATUS "Longpole optional parts:${_found}")
