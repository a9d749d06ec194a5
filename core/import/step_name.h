#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// A range whose name says clearly that it is a numbered step of the training loop.
struct StepName
{
    std::string word; ///< "iteration", "step", "profilerstep" ... in lower case
    std::int64_t number = 0;
};

/// "iteration 5", "iter:5", "step_3", "train_step 3", "ProfilerStep#7", "batch-12"; absent for
/// anything else, names with more words included.
std::optional<StepName> stepName(std::string_view name);

/// How surely a word means the outermost loop: 0 is the surest.
int stepPriority(std::string_view word);

} // namespace core
