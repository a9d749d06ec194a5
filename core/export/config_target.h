#pragma once

#include "core/change/change.h"
#include "core/change/measured_job.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Input of a config file.
struct ConfigRequest
{
    const MeasuredJob &job;
    Strategy strategy;
    std::vector<std::string> comments; ///< where it comes from, what is predicted, how to check it
};

struct ConfigFile
{
    std::string text;
    std::size_t expressed = 0; ///< how many changes of the strategy it says
    /// Changes that the target has no words for, and why. What-ifs about the surroundings (rates,
    /// ranks) are among them.
    std::vector<std::string> leftOut;
    std::vector<std::string> notes; ///< what the file takes for granted, and what it does beside
};

/// Words of a target for which gradients travel together.
enum class BucketForm {
    None,
    Sizes, ///< bucket_cap_mb
    Groups ///< gradients: consecutive tensors, as they become ready
};

/// A program that takes a strategy as configuration. One file pair each and one line in
/// config_target_list.cpp.
class ConfigTarget
{
public:
    ConfigTarget() = default;
    virtual ~ConfigTarget() = default;
    ConfigTarget(const ConfigTarget &) = delete;
    ConfigTarget &operator=(const ConfigTarget &) = delete;
    ConfigTarget(ConfigTarget &&) = delete;
    ConfigTarget &operator=(ConfigTarget &&) = delete;

    virtual std::string_view name() const = 0; ///< "pytorch-ddp"
    virtual std::string_view meaning() const = 0; ///< "a Python file with wrap()"
    virtual std::string_view fileName() const = 0; ///< an example
    virtual BucketForm bucketForm() const = 0;
    virtual ConfigFile write(const ConfigRequest &request) const = 0;
    /// The strategy that a file of write() gives the program. Throws Error.
    virtual Strategy read(const std::string &text, const MeasuredJob &job) const = 0;
};

const std::vector<std::unique_ptr<const ConfigTarget>> &configTargets();

/// "pytorch-ddp, horovod"
std::string configTargetNames();

/// Null: there is none of that name.
const ConfigTarget *configTargetNamed(std::string_view name);

} // namespace core
