#pragma once

#include <cstdint>

// What liblongpole_cupti.so offers. Nothing of it throws, waits or ends the process.

#define LONGPOLE_EXPORT __attribute__((visibility("default")))

extern "C" {

/// Called by the NVIDIA driver for CUDA_INJECTION64_PATH, in cuInit(). Always 1: whether CUDA is
/// recorded is said on stderr.
LONGPOLE_EXPORT int InitializeInjection(); // NOLINT(readability-identifier-naming)
/// Called by each library's NVTX for NVTX_INJECTION64_PATH. 1: its calls are recorded.
LONGPOLE_EXPORT int InitializeInjectionNvtx2( // NOLINT(readability-identifier-naming)
    const void *(*getExportTable)(std::uint32_t));

// For the program itself, which finds them with dlsym(RTLD_DEFAULT, ...) or ctypes.
/// 1: CUPTI is taken; another profiler must not ask for CUDA activities.
LONGPOLE_EXPORT int longpole_cupti_active(); // NOLINT(readability-identifier-naming)
/// Whether what happens now is to be recorded: 1, or 0; -1 if this library records nothing and has
/// no window. The NCCL plug-in follows it.
LONGPOLE_EXPORT int longpole_window_open(); // NOLINT(readability-identifier-naming)
LONGPOLE_EXPORT void longpole_start(); // NOLINT(readability-identifier-naming)
LONGPOLE_EXPORT void longpole_stop(); // NOLINT(readability-identifier-naming)
/// Iteration `number` begins.
LONGPOLE_EXPORT void longpole_mark(std::uint64_t number); // NOLINT(readability-identifier-naming)
/// CUDA calls of this thread belong to `id` until the pop.
LONGPOLE_EXPORT void longpole_push_external(std::uint64_t id); // NOLINT
LONGPOLE_EXPORT std::uint64_t longpole_pop_external(); // NOLINT
}
