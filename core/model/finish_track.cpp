#include "core/model/finish_track.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace core {

namespace {

    constexpr std::size_t MaxDepths = 256;

    bool isBefore(const SliceColumns &s, std::size_t a, std::size_t b)
    {
        if (s.startNs[a] != s.startNs[b])
            return s.startNs[a] < s.startNs[b];
        return s.durationNs[a] > s.durationNs[b];
    }

    bool isSorted(const SliceColumns &slices)
    {
        for (std::size_t i = 1; i < slices.size(); ++i)
            if (isBefore(slices, i, i - 1))
                return false;
        return true;
    }

    /// The end of the last slice of every depth, while slices are visited by start.
    class Lanes
    {
    public:
        /// Depth for the next slice; sets `overlaps` if it overlaps a slice without nesting in it.
        std::size_t place(std::int64_t startNs, std::int64_t endNs, bool &overlaps)
        {
            popClosed(startNs, endNs);
            std::size_t depth = m_count;
            while (depth > 0 && !encloses(m_endNs[depth - 1], startNs, endNs)) {
                overlaps = overlaps || !isClosed(m_endNs[depth - 1], startNs, endNs);
                --depth;
            }
            while (depth < m_count && !isClosed(m_endNs[depth], startNs, endNs))
                ++depth;
            occupy(depth, endNs);
            return std::min(depth, MaxDepths - 1);
        }

    private:
        static bool isClosed(std::int64_t laneEndNs, std::int64_t startNs, std::int64_t endNs)
        {
            return laneEndNs <= startNs
                || (laneEndNs < endNs && laneEndNs - startNs <= TouchToleranceNs
                    && !encloses(laneEndNs, startNs, endNs));
        }
        /// Does a lane's slice, which began earlier, hold this one, but for rounding at its end?
        static bool encloses(std::int64_t laneEndNs, std::int64_t startNs, std::int64_t endNs)
        {
            if (laneEndNs <= startNs)
                return false;
            if (endNs <= laneEndNs)
                return true;
            const std::int64_t insideNs = laneEndNs - startNs, outsideNs = endNs - laneEndNs;
            return outsideNs <= TouchToleranceNs && outsideNs < insideNs;
        }
        void popClosed(std::int64_t startNs, std::int64_t endNs)
        {
            while (m_count > 0 && isClosed(m_endNs[m_count - 1], startNs, endNs))
                --m_count;
        }
        void occupy(std::size_t depth, std::int64_t endNs)
        {
            if (depth >= MaxDepths) {
                m_endNs.back() = std::max(m_endNs.back(), endNs);
                return;
            }
            m_endNs[depth] = endNs;
            m_count = std::max(m_count, depth + 1);
        }

        std::array<std::int64_t, MaxDepths> m_endNs {};
        std::size_t m_count = 0; ///< depths that may be open
    };

} // namespace

std::vector<std::uint32_t> sortedOrder(const SliceColumns &slices)
{
    if (isSorted(slices))
        return {};
    std::vector<std::uint32_t> order(slices.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&slices](std::uint32_t a, std::uint32_t b) {
        return isBefore(slices, a, b);
    });
    return order;
}

std::vector<std::uint32_t> sortSlices(SliceColumns &slices)
{
    std::vector<std::uint32_t> order = sortedOrder(slices);
    if (order.empty())
        return order;
    const auto apply = [&order](auto &column) {
        if (!column.empty())
            reorder(column, order);
    };
    apply(slices.startNs);
    apply(slices.durationNs);
    apply(slices.name);
    apply(slices.category);
    apply(slices.phase);
    apply(slices.depth);
    apply(slices.correlation);
    apply(slices.externalId);
    apply(slices.node);
    apply(slices.sequence);
    apply(slices.forwardThread);
    apply(slices.bytes);
    return order;
}

DepthReport assignDepths(SliceColumns &slices)
{
    DepthReport report;
    Lanes lanes;
    slices.depth.resize(slices.size());
    for (std::size_t row = 0; row < slices.size(); ++row) {
        bool overlaps = false;
        const std::size_t depth = lanes.place(slices.startNs[row], slices.endNs(row), overlaps);
        slices.depth[row] = static_cast<std::uint8_t>(depth);
        report.depthCount = std::max(report.depthCount, static_cast<std::uint32_t>(depth) + 1);
        report.overlapping += overlaps ? 1 : 0;
        report.tooDeep += depth == MaxDepths - 1 ? 1 : 0;
    }
    return report;
}

TrackKind finishedKind(TrackKind kind, const SliceColumns &slices)
{
    const bool onlyCommunicates
        = std::all_of(slices.category.begin(), slices.category.end(),
                      [](Category category) { return category == Category::CommOp; });
    return kind == TrackKind::HostThread && slices.size() > 0 && onlyCommunicates
        ? TrackKind::Communication
        : kind;
}

} // namespace core
