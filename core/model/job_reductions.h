#pragma once

#include "core/model/step_marks.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// The all-reduces of one rank that every rank of its job takes part in, each with as many bytes.
struct JobReductions
{
    WorkerId worker;
    std::map<std::uint64_t, std::vector<std::int64_t>> endsNs; ///< by bytes; by time, raw clock
    std::size_t calls = 0;
    std::size_t steps = 0; ///< that the rank recorded; 0: not known
    /// Calls of each kind on groups that are stated to be of all ranks, which every rank calls in
    /// its steps: all-reduces, and what shards and gathers.
    std::map<std::string, std::size_t> callsOfKind;

    /// Whether there is enough that another rank's can be compared with.
    bool isEnough() const;
};

/// By WorkerId. Where a call does not state its group, it is of all ranks in a job of two; and
/// where the ranks recorded at different times by their clocks and no messages between two of them
/// show that the model is divided. All calls whose slices the trace has.
std::vector<JobReductions> jobReductions(const Trace &trace);

/// Tells why two ranks of a trace cannot be of one job. Refers to the trace.
class JobComparison
{
public:
    explicit JobComparison(const Trace &trace)
        : m_trace(trace)
    {
    }

    /// As a part of a sentence; empty where they can. `ranksOf` are what they are called. Most of
    /// what they reduce has no counterpart of its size; or in whole steps they call collectives of
    /// all ranks, and none of one kind; or one's steps, by the ends of what both
    /// reduce, take so much longer than the other's that over what they recorded they would be
    /// apart by more than a step, and by half of one however the calls are put beside each other:
    /// but a rank waits for the others in every step. Where the steps' numbers show that they
    /// recorded different ones, their lengths tell nothing.
    std::string contradiction(const JobReductions &a, const JobReductions &b,
                              const std::string &ranksOfA, const std::string &ranksOfB);

private:
    bool haveNumberedOtherSteps(WorkerId a, WorkerId b);

    const Trace &m_trace;
    std::optional<std::vector<StepMarks>> m_marks; ///< read when first asked for
};

} // namespace core
