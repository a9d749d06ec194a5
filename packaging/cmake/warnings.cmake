# Compiler flags live in one interface target; -Werror and sanitizers come from the presets, never from the default build.
add_library(longpole_flags INTERFACE)
target_compile_options(longpole_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # std::string's operator+ is reported wrongly (GCC bug 105651).
    target_compile_options(longpole_flags INTERFACE -Wno-restrict)
endif()
if(LONGPOLE_UNITY AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Names of one source's own namespace are seen by the next, which clang takes for shadowing.
    target_compile_options(longpole_flags INTERFACE -Wno-shadow)
endif()
if(LONGPOLE_WERROR)
    target_compile_options(longpole_flags INTERFACE -Werror)
endif()
if(LONGPOLE_SANITIZE)
    # Under -fsanitize=address g++ 12 takes std::regex's own states for uninitialised (GCC bug 105562).
    target_compile_options(longpole_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_compile_options(longpole_flags INTERFACE
        -fsanitize=${LONGPOLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(longpole_flags INTERFACE -fsanitize=${LONGPOLE_SANITIZE})
endif()
target_compile_definitions(longpole_flags INTERFACE
    LONGPOLE_VERSION="${PROJECT_VERSION}"
    QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH QT_NO_NARROWING_CONVERSIONS_IN_CONNECT
    QT_DISABLE_DEPRECATED_BEFORE=0x060400)
target_include_directories(longpole_flags INTERFACE ${CMAKE_SOURCE_DIR})
