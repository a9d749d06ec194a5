#include "ui/timeline_sources/matched_rows.h"

#include "ui/timeline_sources/track_order.h"

#include <QHash>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

    /// Builds the rows group by group.
    class Matcher
    {
    public:
        Matcher(const std::vector<TimelineTrack> &measured,
                const std::vector<TimelineTrack> &predicted,
                const std::vector<std::optional<std::size_t>> &measuredOf)
            : m_measured(measured)
            , m_predicted(predicted)
            , m_measuredOf(measuredOf)
            , m_predictedOf(measured.size())
            , m_lastMeasured(lastOfGroups(measured))
            , m_lastPredicted(lastOfGroups(predicted))
        {
            for (std::size_t i = 0; i < predicted.size(); ++i) {
                if (measuredOf[i] && !m_predictedOf[*measuredOf[i]])
                    m_predictedOf[*measuredOf[i]] = i;
            }
        }

        MatchedRows build()
        {
            std::size_t measured = 0, predicted = 0;
            while (measured < m_measured.size() || predicted < m_predicted.size()) {
                const bool isMeasuredsTurn = measured < m_measured.size()
                    && (predicted == m_predicted.size()
                        || !isLeft(m_lastPredicted, predicted, m_measured[measured].group)
                        || m_predicted[predicted].group == m_measured[measured].group
                        || isLeft(m_lastMeasured, measured, m_predicted[predicted].group));
                const QString group
                    = isMeasuredsTurn ? m_measured[measured].group : m_predicted[predicted].group;
                const std::size_t measuredEnd = endOf(m_measured, measured, group);
                const std::size_t predictedEnd = endOf(m_predicted, predicted, group);
                addGroup(measured, measuredEnd, predicted, predictedEnd);
                measured = measuredEnd;
                predicted = predictedEnd;
            }
            return std::move(m_rows);
        }

    private:
        using LastOfGroups = QHash<QString, std::size_t>;

        /// The last track of each group: to look for it in all of them is quadratic in ranks.
        static LastOfGroups lastOfGroups(const std::vector<TimelineTrack> &tracks)
        {
            LastOfGroups last;
            for (std::size_t i = 0; i < tracks.size(); ++i)
                last[tracks[i].group] = i;
            return last;
        }

        /// Is a track of the group at `from` or later?
        static bool isLeft(const LastOfGroups &last, std::size_t from, const QString &group)
        {
            const auto found = last.constFind(group);
            return found != last.constEnd() && *found >= from;
        }

        static std::size_t endOf(const std::vector<TimelineTrack> &tracks, std::size_t first,
                                 const QString &group)
        {
            std::size_t end = first;
            while (end < tracks.size() && tracks[end].group == group)
                ++end;
            return end;
        }

        void addGroup(std::size_t measured, std::size_t measuredEnd, std::size_t predicted,
                      std::size_t predictedEnd)
        {
            for (; predicted < predictedEnd; ++predicted) {
                if (standsAtMeasured(predicted))
                    continue;
                const int place = placeOf(m_predicted[predicted].kind);
                while (measured < measuredEnd && placeOf(m_measured[measured].kind) <= place)
                    add(measured++);
                addRow(m_predicted[predicted], std::nullopt, predicted);
            }
            while (measured < measuredEnd)
                add(measured++);
        }

        /// Of several that one measured track became, the first does: a row has one.
        bool standsAtMeasured(std::size_t predicted) const
        {
            const std::optional<std::size_t> measured = m_measuredOf[predicted];
            return measured && m_predictedOf[*measured] == predicted;
        }

        void add(std::size_t measured)
        {
            addRow(m_measured[measured], measured, m_predictedOf[measured]);
        }

        void addRow(TimelineTrack track, std::optional<std::size_t> measured,
                    std::optional<std::size_t> predicted)
        {
            if (predicted)
                track.depthCount = std::max(track.depthCount, m_predicted[*predicted].depthCount);
            m_rows.tracks.push_back(std::move(track));
            m_rows.ofMeasured.push_back(measured);
            m_rows.ofPredicted.push_back(predicted);
        }

        const std::vector<TimelineTrack> &m_measured, &m_predicted;
        const std::vector<std::optional<std::size_t>> &m_measuredOf;
        std::vector<std::optional<std::size_t>> m_predictedOf; ///< by measured track
        LastOfGroups m_lastMeasured, m_lastPredicted;
        MatchedRows m_rows;
    };

} // namespace

MatchedRows matchRows(const std::vector<TimelineTrack> &measured,
                      const std::vector<TimelineTrack> &predicted,
                      const std::vector<std::optional<std::size_t>> &measuredOf)
{
    return Matcher(measured, predicted, measuredOf).build();
}

SourceInRows::SourceInRows(std::shared_ptr<const TimelineSource> source,
                           std::vector<TimelineTrack> rows,
                           std::vector<std::optional<std::size_t>> trackOf)
    : m_source(std::move(source))
    , m_rows(std::move(rows))
    , m_trackOf(std::move(trackOf))
    , m_rowOf(m_source->tracks().size())
{
    for (std::size_t row = 0; row < m_trackOf.size(); ++row) {
        if (m_trackOf[row])
            m_rowOf[*m_trackOf[row]] = row;
    }
}

std::vector<TimelineBox> SourceInRows::boxes(std::size_t row, core::TimeRange range,
                                             std::int64_t resolutionNs) const
{
    return m_trackOf[row] ? m_source->boxes(*m_trackOf[row], range, resolutionNs)
                          : std::vector<TimelineBox>();
}

std::vector<CounterPoint> SourceInRows::counterPoints(std::size_t row, core::TimeRange range,
                                                      std::int64_t resolutionNs) const
{
    return m_trackOf[row] ? m_source->counterPoints(*m_trackOf[row], range, resolutionNs)
                          : std::vector<CounterPoint>();
}

QString SourceInRows::boxName(std::size_t row, std::uint64_t id) const
{
    return m_trackOf[row] ? m_source->boxName(*m_trackOf[row], id) : QString();
}

std::optional<std::pair<std::size_t, TimelineBox>> SourceInRows::find(std::uint64_t id) const
{
    auto found = m_source->find(id);
    if (found)
        found->first = m_rowOf[found->first];
    return found;
}

} // namespace ui
