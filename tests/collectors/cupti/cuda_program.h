#pragma once

#include "collectors/cupti/cupti_abi.h"
#include "collectors/cupti/nvtx_abi.h"
#include "tests/collectors/cupti/stand_in_cupti.h"

#include <cstdint>
#include <string>

namespace tests {

/// What a program with CUDA and NVTX does, as far as a collector sees it: through the stand-in for
/// libcupti and through NVTX's tables.
class CudaProgram
{
public:
    /// Loads the library that CUDA_INJECTION64_PATH names and calls it, as the driver does in
    /// cuInit(); then the one that NVTX_INJECTION64_PATH names, as NVTX does. The stand-in is that
    /// of LONGPOLE_LIBCUPTI, and may be missing.
    void start();
    /// The part of it that finds the stand-in.
    void findCupti();
    /// The part of it that is NVTX; 0 if the injection refused.
    int attachNvtx(int (*injection)(const void *(*)(std::uint32_t)));

    /// A call, its kernel, and whatever external id is pushed; the correlation.
    std::uint32_t launch(std::uint32_t stream = 7);
    /// One of each of the other activities.
    void doEverythingElse();
    /// A graph of two nodes that depend on each other, instantiated.
    void captureGraph();

    int push(const char *name) const;
    int pop() const;

    // Entry points that the program has found.
    int (*record)(const void *, std::size_t) = nullptr;
    int (*isEnabled)(std::uint32_t) = nullptr;
    std::uint64_t (*emitted)() = nullptr;
    std::uint64_t (*dropped)() = nullptr;
    std::uint64_t (*externalId)() = nullptr;
    void (*callback)(std::uint32_t, std::uint32_t, const void *) = nullptr;
    int (*cuptiActive)() = nullptr;
    void (*startRecording)() = nullptr;
    void (*stopRecording)() = nullptr;
    void (*mark)(std::uint64_t) = nullptr;
    void (*pushExternal)(std::uint64_t) = nullptr;
    std::uint64_t (*popExternal)() = nullptr;

    collectors::nvtx::FunctionPointer core[16] = {}, domains[16] = {}; ///< what NVTX calls
};

std::uint64_t nowNs();

} // namespace tests
