#pragma once

#include "core/change/gradients/partition_cost.h"
#include "core/change/measured_job.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace core {

/// The last answer to a question that is mostly asked again: most all-reduces are as large as the
/// one before.
template <class Question, class Answer>
class LastAnswer
{
public:
    template <class Find>
    const Answer &to(const Question &question, const Find &find)
    {
        if (!m_last || m_last->first != question)
            m_last.emplace(question, find());
        return m_last->second;
    }

private:
    std::optional<std::pair<Question, Answer>> m_last;
};

/// The costs of all-reduces that a job of DDP did not record.
class ReductionCosts
{
public:
    explicit ReductionCosts(const MeasuredJob &job)
        : m_job(job)
    {
    }

    struct Fit
    {
        const CollectiveNode *measured = nullptr; ///< the all-reduce that it is like
        std::string chosenAlgorithm;
        std::int64_t durationNs = 0; ///< alpha + beta * bytes
    };
    /// An all-reduce of `bytes` by the ranks of the step. Throws Error where no cost is known.
    const Fit &fitOf(const GradientStep &step, std::uint64_t bytes);
    /// Time, ns, by which ranks without a recording come later than the recorded ones.
    std::int64_t unseenWaitNs(const GradientStep &step, std::size_t parameter);
    /// Part of an all-reduce's time, ns, for which others can use the link; see
    /// LinkModel::isPipelined.
    std::int64_t hiddenLatencyNs(DeviceId link) const;
    /// Time of a partition, ns; see costOfPartition(). Empty where the link serves one at a time.
    std::optional<std::int64_t> partitionNs(DeviceId link, std::uint64_t bytes,
                                            const PartitionLimits &limits);

private:
    Fit findFit(const GradientStep &step, std::uint64_t bytes) const;
    /// The measured all-reduce of the step whose size is nearest, where they state algorithms.
    const CollectiveNode &measuredLike(const GradientStep &step, std::uint64_t bytes) const;
    const CollectiveNode &firstMeasured() const;
    std::int64_t findUnseenWaitNs(const GradientStep &step, std::size_t parameter) const;
    std::optional<std::int64_t> findPartitionNs(DeviceId link, std::uint64_t bytes,
                                                const PartitionLimits &limits) const;

    MeasuredJob m_job;
    LastAnswer<std::pair<const GradientStep *, std::uint64_t>, Fit> m_lastFit;
    LastAnswer<std::pair<const GradientStep *, std::size_t>, std::int64_t> m_lastWait;
    LastAnswer<std::tuple<DeviceId, std::uint64_t, std::uint64_t>, std::optional<std::int64_t>>
        m_lastPartition; ///< by link, bytes, partition size
};

/// The op at whose end the gradient is ready: of the host or, on accelerators, a kernel.
inline OpId readyOp(const GradientStep &step, std::size_t parameter)
{
    return step.kernels.empty() ? step.gradients[parameter] : step.kernels[parameter];
}

} // namespace core
