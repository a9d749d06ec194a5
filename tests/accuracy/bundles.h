#pragma once

#include "core/pipeline/pipeline.h"
#include "core/predict/prediction.h"
#include "core/predict/predictor.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace accuracy {

/// A folder of traces as the program reads it, and what was measured beside it.
struct Bundle
{
    std::string name;
    nlohmann::json meta; ///< meta.json; not an object where there is none
    double truthMs = 0; ///< truth.json: iteration without a profiler; 0 where there is none
    core::LoadedProject project;
    std::optional<core::Predictor> predictor; ///< with the models of all strategies
    core::Prediction unchanged; ///< its self-replay

    /// A plain all-reduce job, alike but for bucket size and bandwidth with those of its jobName().
    bool isPlain() const;
    std::string jobName() const;
    /// Alike but for the bandwidth: slices, a parameter server.
    bool isSameButForBandwidth(const Bundle &other) const;
    double bandwidthMbit() const { return meta.value("bandwidth_mbit", 0.0); }

private:
    bool isSkewed() const;
};

using Bundles = std::vector<std::unique_ptr<Bundle>>;

/// One folder of traces. Throws Error where it cannot be read or replayed.
std::unique_ptr<Bundle> loadBundle(const std::filesystem::path &folder, const std::string &name);

/// The test bed's configurations, by name; one that cannot be read is named and makes `isGood`
/// false.
Bundles loadTestbed(const std::filesystem::path &testbed, bool &isGood);

/// The folders of public traces that hold at least two ranks with iterations.
Bundles loadReal(const std::filesystem::path &folder);

} // namespace accuracy
