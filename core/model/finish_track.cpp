#include "core/model/finish_track.h"

namespace core {

namespace {

    /// Does a lane's slice, which began earlier, hold this one, but for rounding at its end?
    bool encloses(std::int64_t laneEndNs, std::int64_t startNs, std::int64_t endNs)
    {
        if (laneEndNs <= startNs)
            return false;
        if (endNs <= laneEndNs)
            return true;
        const std::int64_t insideNs = laneEndNs - startNs, outsideNs = endNs - laneEndNs;
        return outsideNs <= TouchToleranceNs && outsideNs < insideNs;
    }

    bool isClosed(std::int64_t laneEndNs, std::int64_t startNs, std::int64_t endNs)
    {
        return laneEndNs <= startNs
            || (laneEndNs < endNs && laneEndNs - startNs <= TouchToleranceNs
                && !encloses(laneEndNs, startNs, endNs));
    }

} // namespace

std::uint8_t DepthAssigner::place(std::int64_t startNs, std::int64_t endNs)
{
    popClosed(startNs, endNs);
    bool overlaps = false;
    std::size_t depth = m_count;
    while (depth > 0 && !encloses(m_endNs[depth - 1], startNs, endNs)) {
        overlaps = overlaps || !isClosed(m_endNs[depth - 1], startNs, endNs);
        --depth;
    }
    while (depth < m_count && !isClosed(m_endNs[depth], startNs, endNs))
        ++depth;
    occupy(depth, endNs);
    depth = std::min(depth, MaxDepths - 1);
    m_report.depthCount = std::max(m_report.depthCount, static_cast<std::uint32_t>(depth) + 1);
    m_report.overlapping += overlaps ? 1 : 0;
    m_report.tooDeep += depth == MaxDepths - 1 ? 1 : 0;
    return static_cast<std::uint8_t>(depth);
}

void DepthAssigner::popClosed(std::int64_t startNs, std::int64_t endNs)
{
    while (m_count > 0 && isClosed(m_endNs[m_count - 1], startNs, endNs))
        --m_count;
}

void DepthAssigner::occupy(std::size_t depth, std::int64_t endNs)
{
    if (depth >= MaxDepths) {
        m_endNs.back() = std::max(m_endNs.back(), endNs);
        return;
    }
    m_endNs[depth] = endNs;
    m_count = std::max(m_count, depth + 1);
}

} // namespace core
