#include "ui/timeline/critical_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace ui {
namespace {

    /// Collects points; of a run in one pixel column it keeps the first, the turns and the last.
    class ColumnLine
    {
    public:
        void add(double x, double y)
        {
            constexpr double Far = 1e6; // what QPainter bears
            const QPointF point(std::clamp(x, -Far, Far), y);
            if (!m_points.empty() && m_points.back() == point) {
                return;
            }
            const std::size_t n = m_points.size();
            const bool isOneColumn = n >= 2 && column(n - 1) == std::floor(point.x())
                && column(n - 2) == std::floor(point.x());
            if (isOneColumn) {
                const double before = m_points[n - 1].y() - m_points[n - 2].y();
                if (before * (point.y() - m_points[n - 1].y()) >= 0) {
                    m_points[n - 1] = point;
                    return;
                }
                if (n >= 4 && column(n - 3) == column(n - 1) && column(n - 4) == column(n - 1)) {
                    widenLastTurn(point);
                    return;
                }
            }
            m_points.push_back(point);
        }
        std::vector<QPointF> take() { return std::move(m_points); }

    private:
        double column(std::size_t i) const { return std::floor(m_points[i].x()); }
        /// A column that already has both turns only grows to the new extreme.
        void widenLastTurn(QPointF point)
        {
            const std::size_t n = m_points.size();
            QPointF &turn = m_points[n - 2];
            const bool isLower = turn.y() > m_points[n - 3].y();
            turn.setY(isLower ? std::max(turn.y(), point.y()) : std::min(turn.y(), point.y()));
            m_points[n - 1] = point;
        }

        std::vector<QPointF> m_points;
    };

    /// Decides which ways between rows are drawn, from left to right.
    class PieceLine
    {
    public:
        void add(QPointF point)
        {
            const bool isFirst = m_pieces.empty();
            if (!isFirst && (m_pieces[m_current].back().y() == point.y() || takeWay(point.x())))
                m_pieces[m_current].push_back(point);
            else
                moveTo(point);
            m_pieceOfRow[point.y()] = m_current;
        }
        std::vector<std::vector<QPointF>> take()
        {
            for (std::vector<QPointF> &piece : m_pieces)
                if (piece.size() == 1)
                    piece.push_back(piece.front() + QPointF(1, 0));
            return std::move(m_pieces);
        }

    private:
        /// At most two in so many pixels: to another row and back.
        bool takeWay(double x)
        {
            constexpr double Apart = 24;
            if (x - m_ways.front() < Apart)
                return false;
            m_ways = { m_ways.back(), x };
            return true;
        }
        /// Goes on with what ends in that row a little before.
        void moveTo(QPointF point)
        {
            constexpr double Joined = 4;
            const auto row = m_pieceOfRow.find(point.y());
            const bool goesOn = row != m_pieceOfRow.end()
                && m_pieces[row->second].back().y() == point.y()
                && point.x() - m_pieces[row->second].back().x() <= Joined;
            if (goesOn) {
                m_current = row->second;
                m_pieces[m_current].push_back(point);
            } else {
                m_current = m_pieces.size();
                m_pieces.push_back({ point });
            }
        }

        static constexpr double Never = std::numeric_limits<double>::lowest();
        std::vector<std::vector<QPointF>> m_pieces;
        std::map<double, std::size_t> m_pieceOfRow; ///< that has been in it last, by its y
        std::size_t m_current = 0;
        std::array<double, 2> m_ways { Never, Never }; ///< the last ones, pixels
    };

} // namespace

std::vector<CriticalStep> criticalSteps(const TimelineSource &source)
{
    std::vector<CriticalStep> steps;
    for (const std::uint64_t id : source.criticalPath()) {
        if (const auto found = source.find(id)) {
            const auto &[track, box] = *found;
            steps.push_back({ id, track, box.depth, box.startNs, box.endNs });
        }
    }
    std::ranges::stable_sort(steps, {}, &CriticalStep::startNs);
    return steps;
}

std::vector<QPointF> criticalLine(const std::vector<CriticalStep> &steps,
                                  const TimelineLayout &layout, const TimeAxis &axis, int scrollY)
{
    const core::TimeRange visible = axis.visible();
    auto step = std::ranges::partition_point(
        steps, [&visible](const CriticalStep &s) { return s.startNs < visible.startNs; });
    if (step != steps.begin()) {
        --step;
    }
    ColumnLine line;
    std::int64_t reachedNs = std::numeric_limits<std::int64_t>::min();
    for (; step != steps.end(); ++step) {
        // In the gap under the track: the line hides no slice, and does not jump between depths.
        const double y = rowOfTrack(layout, step->track).bottom() - scrollY - 2;
        // A step lasts until the next one begins, so that the line only runs right, up and down.
        reachedNs = std::max(reachedNs, step->startNs);
        line.add(axis.xOf(reachedNs), y);
        const auto next = step + 1;
        reachedNs = std::max(reachedNs, next == steps.end() ? step->endNs : next->startNs);
        line.add(axis.xOf(reachedNs), y);
        if (step->startNs > visible.endNs) {
            break;
        }
    }
    return line.take();
}

std::vector<std::vector<QPointF>> criticalPieces(const std::vector<QPointF> &line)
{
    PieceLine pieces;
    for (const QPointF &point : line)
        pieces.add(point);
    return pieces.take();
}

} // namespace ui
