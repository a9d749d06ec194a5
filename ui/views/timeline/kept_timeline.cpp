#include "ui/views/timeline/kept_timeline.h"

#include "ui/views/timeline/kept_arrangement.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <limits>
#include <utility>

namespace ui {

namespace {

    using Tracks = std::set<std::uint32_t>;

    constexpr int MostMarks = 10'000; ///< and notes; a stranger's project may claim any number

    QJsonObject objectOf(const core::TimeRange &range)
    {
        return { { QStringLiteral("start_ns"), qint64(range.startNs) },
                 { QStringLiteral("end_ns"), qint64(range.endNs) } };
    }

    /// Empty where it is none.
    core::TimeRange rangeOf(const QJsonValue &value)
    {
        const core::TimeRange range { value[QLatin1String("start_ns")].toInteger(),
                                      value[QLatin1String("end_ns")].toInteger() };
        constexpr std::int64_t Farthest = std::numeric_limits<std::int64_t>::max() / 4;
        const bool isSane
            = range.startNs > -Farthest && range.endNs < Farthest && range.startNs < range.endNs;
        return isSane ? range : core::TimeRange();
    }

    QJsonArray arrayOf(const Tracks &tracks)
    {
        QJsonArray array;
        for (const std::uint32_t track : tracks)
            array.append(qint64(track));
        return array;
    }

    Tracks tracksOf(const QJsonValue &value)
    {
        Tracks tracks;
        const QJsonArray array = value.toArray();
        for (const QJsonValue &track : array)
            tracks.insert(static_cast<std::uint32_t>(track.toInteger()));
        return tracks;
    }

    QJsonArray marksOf(const TimelineEdits &edits)
    {
        QJsonArray marks;
        for (const core::TimeRange &mark : edits.marks)
            marks.append(objectOf(mark));
        return marks;
    }

    QJsonArray notesOf(const TimelineEdits &edits)
    {
        QJsonArray notes;
        for (const TimelineNote &note : edits.notes)
            notes.append(QJsonObject { { QStringLiteral("ns"), qint64(note.ns) },
                                       { QStringLiteral("text"), note.text } });
        return notes;
    }

    QJsonObject bookmarksOf(const TimelineEdits &edits)
    {
        QJsonObject bookmarks;
        for (const auto &[digit, bookmark] : edits.bookmarks) {
            QJsonObject object = objectOf(bookmark.range);
            object[QStringLiteral("scroll_px")] = bookmark.scrollY;
            bookmarks[QString::number(digit)] = object;
        }
        return bookmarks;
    }

    QJsonObject objectOf(const TimelinePlace &place)
    {
        QJsonObject object = objectOf(place.visible);
        object[QStringLiteral("scroll_px")] = place.scrollY;
        object[QStringLiteral("folded_groups")] = arrayOf(place.foldedGroups);
        object[QStringLiteral("folded_subgroups")] = arrayOf(place.foldedSubgroups);
        object[QStringLiteral("unfolded_tracks")] = arrayOf(place.unfoldedTracks);
        object[QStringLiteral("arrangement")] = arrangementObject(place.arrangement);
        object[QStringLiteral("overview")] = place.isOverview;
        return object;
    }

    TimelineEdits editsOf(const QJsonObject &all)
    {
        TimelineEdits edits;
        const QJsonArray marks = all[QLatin1String("marks")].toArray();
        edits.marks.reserve(static_cast<std::size_t>(std::min(marks.size(), qsizetype(MostMarks))));
        for (const QJsonValue &mark : marks)
            if (const core::TimeRange range = rangeOf(mark);
                !range.isEmpty() && edits.marks.size() < MostMarks)
                edits.marks.push_back(range);
        const QJsonArray notes = all[QLatin1String("notes")].toArray();
        edits.notes.reserve(static_cast<std::size_t>(std::min(notes.size(), qsizetype(MostMarks))));
        for (const QJsonValue &note : notes)
            if (const QString text = note[QLatin1String("text")].toString();
                !text.isEmpty() && edits.notes.size() < MostMarks)
                edits.notes.push_back({ note[QLatin1String("ns")].toInteger(), text });
        std::ranges::stable_sort(edits.notes, {}, &TimelineNote::ns);
        const QJsonObject bookmarks = all[QLatin1String("bookmarks")].toObject();
        for (int digit = 0; digit <= 9; ++digit) {
            const QJsonValue one = bookmarks[QString::number(digit)];
            if (const core::TimeRange range = rangeOf(one); !range.isEmpty())
                edits.bookmarks[digit] = { range, one[QLatin1String("scroll_px")].toInt() };
        }
        return edits;
    }

} // namespace

QString keptTimelineText(const KeptTimeline &kept)
{
    QJsonObject all { { QStringLiteral("marks"), marksOf(kept.edits) },
                      { QStringLiteral("notes"), notesOf(kept.edits) },
                      { QStringLiteral("bookmarks"), bookmarksOf(kept.edits) } };
    if (kept.place)
        all[QStringLiteral("place")] = objectOf(*kept.place);
    return QString::fromUtf8(QJsonDocument(all).toJson(QJsonDocument::Compact));
}

KeptTimeline keptTimelineOf(const QString &text)
{
    const QJsonObject all = QJsonDocument::fromJson(text.toUtf8()).object();
    KeptTimeline kept { editsOf(all), {} };
    const QJsonValue place = all[QLatin1String("place")];
    if (const core::TimeRange visible = rangeOf(place); !visible.isEmpty())
        kept.place = TimelinePlace { visible,
                                     place[QLatin1String("scroll_px")].toInt(),
                                     tracksOf(place[QLatin1String("folded_groups")]),
                                     tracksOf(place[QLatin1String("folded_subgroups")]),
                                     tracksOf(place[QLatin1String("unfolded_tracks")]),
                                     arrangementOf(place[QLatin1String("arrangement")]),
                                     place[QLatin1String("overview")].toBool() };
    return kept;
}

} // namespace ui
