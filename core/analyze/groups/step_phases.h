#pragma once

#include "core/base/time_range.h"
#include "core/model/phases.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace core {

struct RecordedStep
{
    TimeRange range; ///< raw clock
    std::optional<std::size_t> counted; ///< which of those that figures are of; none: left out
};

/// What the host of a worker recorded. Refers to the trace.
struct HostRecording
{
    std::vector<RecordedStep> steps;
    std::vector<const SliceColumns *> threads;
};

/// By WorkerId.
std::vector<HostRecording> hostRecordings(const Trace &trace);

/// Where the steps of one worker have their backward pass; times are of its raw clock.
class StepPhases
{
public:
    explicit StepPhases(const HostRecording &host);

    /// Steps that count.
    std::size_t count() const { return m_counted; }
    /// Which of them it is. A device may be behind its host, and work when the step has ended.
    std::optional<std::size_t> countedAt(std::int64_t ns, bool isDevice) const;
    bool hasBackward() const { return m_hasBackward; }
    /// None where no step is, or it has no backward pass.
    Phase at(std::int64_t ns) const;

private:
    static constexpr std::int64_t Never = std::numeric_limits<std::int64_t>::max();

    struct Step
    {
        RecordedStep of;
        std::int64_t backwardNs; ///< when it begins
        std::int64_t lastBackwardNs; ///< when its last op begins
        std::int64_t optimizerNs; ///< when the optimizer begins after it
    };

    /// The last step that began by then.
    std::optional<std::size_t> begunBy(std::int64_t ns) const;
    std::optional<std::size_t> stepAt(std::int64_t ns) const;
    template <class Visit>
    void visitMarks(const SliceColumns &slices, Phase phase, Visit visit);

    std::vector<Step> m_steps;
    std::size_t m_counted = 0;
    bool m_hasBackward = false;
};

} // namespace core
