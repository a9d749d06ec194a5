#pragma once

#include "core/change/change.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/measured_job.h"
#include "core/export/config_values.h"

#include <optional>
#include <string>
#include <string_view>

namespace core {

/// Names of DDP's settings in Python files.
inline constexpr std::string_view DdpCapName = "BUCKET_CAP_MB", DdpRatioName = "COMPRESSION";

/// Rule for the size of DDP's first bucket where the program gives bucket_cap_mb
/// (torch/nn/parallel/distributed.py, _ddp_init_helper).
enum class FirstBucketRule {
    ItsOwn, ///< 1 MiB, or what the program sets: PyTorch before 2.4
    AsCap, ///< bucket_cap_mb, too: newer PyTorch (pull request 121640)
    Unknown ///< the version is not stated, or is 2.4 or 2.5, which nobody checked
};

FirstBucketRule firstBucketRule(const Trace &trace);

/// The size of the first bucket where bucket_cap_mb is `capMb`, MiB. `ownMb`: what the program sets
/// by itself. An unknown rule is taken to be that of the recorded buckets.
double firstBucketMb(const MeasuredJob &job, double capMb, double ownMb);

/// The first bucket's size as a note on a config file with that cap, and why.
std::string firstBucketNote(const MeasuredJob &job, double capMb);

/// The strategy of a file that gives DDP these settings and cannot set the first bucket. `ratio`:
/// times fewer bytes.
Strategy ddpStrategy(const MeasuredJob &job, std::optional<double> capMb, double ratio);

/// The same of a Python file with the names above. Throws Error where one is no number.
Strategy ddpStrategyOf(const std::string &text, const MeasuredJob &job);

/// DDP's cap for a target that cannot set the first bucket, which the file's notes then tell of.
/// `isWhole`: it takes whole numbers of MiB only.
std::optional<double> takeCapMb(ConfigValues &values, const MeasuredJob &job, bool isWhole,
                                ConfigFile &file);

} // namespace core
