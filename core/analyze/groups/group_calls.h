#pragma once

#include "core/analyze/groups/group_roles.h"
#include "core/model/phases.h"
#include "core/model/trace.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace core {

/// How often ranks call a group, step by step.
class GroupCalls
{
public:
    /// step: which of the worker's, from 0.
    void add(const std::string &kind, Phase when, WorkerId worker, std::size_t step);
    bool isEmpty() const { return m_counts.empty(); }

    /// Means of `rankSteps` steps, those of all ranks together: GroupUse::perStep.
    std::map<std::string, GroupUse::Calls> means(std::size_t rankSteps) const;

    /// "4 to 5 all_reduce in the backward pass, 2 all_gather a step; 1 broadcast in 3 of 110
    /// steps" of `steps` a rank: what each step has, then what only some have. Counts are those of
    /// a rank in a step that has any; those at a time not known are "elsewhere" beside others.
    /// `each` follows the former: " a step".
    std::string text(std::size_t steps, const std::string &each) const;

private:
    /// Calls by step, then by worker.
    using Counts = std::map<std::pair<std::size_t, WorkerId>, std::size_t>;
    std::map<std::string, std::map<Phase, Counts>> m_counts; ///< by kind
};

} // namespace core
