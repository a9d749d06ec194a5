#pragma once

#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Largest gradient that a job may state: more is damage.
inline constexpr std::uint64_t MostGradientBytes = std::uint64_t(1) << 40;

/// From the first file that is named meta.json; nothing of it where it is malformed. The slowest
/// link's rate is that of `link_mbit`, a rate for each rank, else `bandwidth_mbit`. Sizes of
/// gradients are those of `gradient_sizes` (bytes, in the order in which gradients become ready),
/// else of the parameters in `buckets`. What the user gives (GivenFacts) comes before both.
StatedJob statedJob(const std::vector<JobMetadata> &metadata);

/// Name of the project's entry with GivenFacts, beside the bundle's meta.json.
inline constexpr std::string_view GivenFactsName = "given.json";

/// Facts that the user states of a job because its trace does not tell it.
struct GivenFacts
{
    /// Bytes of each gradient, in the order in which they become ready; empty: not given.
    std::vector<std::uint64_t> gradientBytes;
    std::optional<double> linkMbit; ///< nominal rate of the links between workers, Mbit/s

    bool isEmpty() const { return gradientBytes.empty() && !linkMbit; }
    friend bool operator==(const GivenFacts &, const GivenFacts &) = default;
};

/// Those of a project's entries; empty where there are none, or of what makes no sense.
GivenFacts givenFacts(const std::vector<JobMetadata> &metadata);

/// The entry of these facts; its text is empty where there are none.
JobMetadata givenFactsEntry(const GivenFacts &facts);

/// What files tell of the job's accelerators (Kineto's deviceProperties, Nsight's list of GPUs).
struct Accelerators
{
    std::string name; ///< of the first; empty: not told
    int computeCapability = 0; ///< the least, 90 for 9.0; 0: not told
    double ofHost = 0; ///< the most in one file's list; 0: not told
    bool areAmds = false; ///< any is, the profiler was ROCm's, or kernels are ROCm's
};

Accelerators recordedAccelerators(const Trace &trace);

/// NCCL's version where a file states it (Kineto's distributedInfo, meta.json), as
/// NcclSystem::version: 221 for "2.21.5". Absent otherwise, and where it makes no sense.
std::optional<int> statedNcclVersion(const Trace &trace);

/// PyTorch's version where meta.json states it: 204 for "2.4.1+cu121". Absent otherwise, and where
/// it makes no sense.
std::optional<int> statedTorchVersion(const Trace &trace);

/// A parameter as meta.json lists it.
struct StatedParameter
{
    std::string name; ///< "layers.0.fc.weight"
    std::uint64_t bytes = 0; ///< of its gradient
};

/// The parameters of DDP's buckets, in the order in which their gradients are reduced. Empty where
/// meta.json does not list them all.
std::vector<StatedParameter> statedParameters(const Trace &trace);

/// Bytes of a gradient's element, where meta.json states types and all are equal; else absent.
std::optional<int> statedElementBytes(const Trace &trace);

} // namespace core
