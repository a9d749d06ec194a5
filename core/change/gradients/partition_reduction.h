#pragma once

#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/gradients/repartition.h"
#include "core/graph/graph_builder.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace core {

/// The reduction of gradients that a program sends by themselves, in partitions: a group is one
/// gradient (recordedGradients()). New partitions are ready with the same ops, and what waited for
/// recorded bytes waits for those that carry them. The time that recorded partitions took beyond
/// their bytes' time on the line becomes longer or shorter as costOfPartition() says.
class PartitionReduction : public MeasuredReduction
{
public:
    explicit PartitionReduction(const PlannedJob &job);

    void begin(std::int32_t iteration) override;
    std::uint64_t bytesOf(const GradientGroup &group) const override;
    std::size_t addPiece(const GradientGroup &group, std::size_t index,
                         const GradientPiece &piece) override;
    void addWaits(const GradientGroup &group, const std::vector<std::size_t> &pieces) override;
    Graph finish() override;

private:
    using Place = std::pair<DeviceId, std::int64_t>; ///< link, iteration
    /// Time of a new partition.
    struct Time
    {
        double nsPerByte = 0; ///< on the wire
        double idleNs = 0;
    };
    struct Sums;

    Place placeOf(const RecordedGradient &gradient) const;
    const LinkModel &modelAt(const RecordedGradient &gradient) const;
    PartitionCost costOf(const LinkModel &model, DeviceId link, const PartitionLimits &limits,
                         const Sums &sums) const;
    void findTimes();
    Time timeOf(const LinkModel &model, DeviceId link, const Sums &recorded,
                const Sums &wanted) const;
    void removeFollowers();
    bool isCutOtherwise(const RecordedGradient &gradient, const GradientGroup &group) const;
    std::size_t addLike(const RecordedGradient &gradient);
    OpId addCopy(OpId op);
    void addFollowers(const RecordedGradient &gradient, const std::vector<std::size_t> &pieces);

    const PlannedJob &m_job;
    GraphBuilder m_builder;
    const RecordedGradients m_gradients;
    const PartitionFollowers m_followers;
    std::map<Place, Time> m_times;
    const std::vector<RecordedGradient> *m_ofIteration = nullptr; ///< that begin() named
    SendingOrder m_order;
    bool m_isAnyCutOtherwise = false;
    std::set<std::size_t> m_dropped; ///< indices of recorded collectives
};

} // namespace core
