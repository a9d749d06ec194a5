#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace collectors {

/// A moment of the process: after a number of iterations, or of nanoseconds since it began to be
/// observed.
struct Moment
{
    bool isIteration = false;
    std::int64_t value = 0;
};

/// Which CUDA activities are recorded.
enum ActivityGroup : unsigned {
    GroupKernels = 1,
    GroupCopies = 2, ///< memcpy and memset
    GroupRuntime = 4,
    GroupDriver = 8,
    GroupSync = 16, ///< with event records
    GroupExternal = 32,
    AllGroups = 63,
};

enum class GraphMode {
    Nodes, ///< each node's kernel; kernels are traced from the start for that, see README.md
    Whole, ///< one record a launch
    Late, ///< as Nodes, but graphs of before the window may lack their nodes
};

/// What LONGPOLE_* in the environment asks for; README.md lists them.
struct CuptiSettings
{
    std::string folder = "."; ///< LONGPOLE_OUT
    std::optional<Moment> start, stop, duration; ///< LONGPOLE_START, _STOP, _DURATION
    std::int64_t every = 1; ///< LONGPOLE_EVERY: iterations
    std::string iterationRange; ///< LONGPOLE_ITERATION_RANGE: how its NVTX name begins
    int signal = 0; ///< LONGPOLE_SIGNAL: starts and stops in turn
    std::string controlFile; ///< LONGPOLE_CONTROL
    unsigned groups = AllGroups; ///< LONGPOLE_CUPTI_KINDS
    GraphMode graphs = GraphMode::Nodes; ///< LONGPOLE_GRAPHS
    std::string libcupti; ///< LONGPOLE_LIBCUPTI
    std::int64_t flushNs = 500'000'000; ///< LONGPOLE_FLUSH_MS
    std::size_t bufferBytes = std::size_t { 256 } << 20U; ///< LONGPOLE_BUFFER_MIB

    /// What of it could not be read, a line each; the defaults stand for it.
    std::vector<std::string> complaints;

    /// Nothing is recorded until something opens the window.
    bool waitsForOrder() const
    {
        return (signal != 0 || !controlFile.empty()) && !start.has_value();
    }
};

CuptiSettings readCuptiSettings();

/// "20" (iterations), "20it", "30s", "500ms"; absent for anything else.
std::optional<Moment> parseMoment(const std::string &text);

} // namespace collectors
