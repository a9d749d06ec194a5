#include "ui/timeline/track_arrangement.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace ui {
namespace {

    /// Consecutive tracks of one name.
    struct GroupRun
    {
        std::size_t first = 0, end = 0;
    };

    std::vector<GroupRun> runsOf(const std::vector<TimelineTrack> &tracks)
    {
        std::vector<GroupRun> runs;
        for (std::size_t i = 0; i < tracks.size(); ++i) {
            if (i == 0 || tracks[i].group != tracks[i - 1].group) {
                runs.push_back({ i, i });
            }
            runs.back().end = i + 1;
        }
        return runs;
    }

    QString kindName(core::TrackKind kind)
    {
        const std::string_view name = core::trackKindName(kind);
        return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }

    bool isMatch(const TrackFilter &filter, const TimelineTrack &track)
    {
        switch (filter.field) {
        case TrackField::Group: // further words behind a rank's name tell of its clock
            return track.group.compare(filter.text, Qt::CaseInsensitive) == 0
                || track.group.startsWith(filter.text + QLatin1Char(' '), Qt::CaseInsensitive);
        case TrackField::Kind:
            return kindName(track.kind).contains(filter.text, Qt::CaseInsensitive)
                || track.subgroup.contains(filter.text, Qt::CaseInsensitive);
        case TrackField::Name:
            break;
        }
        const std::array<const QString *, 3> names { &track.name, &track.subgroup, &track.group };
        return std::ranges::any_of(names, [&filter](const QString *name) {
            return name->contains(filter.text, Qt::CaseInsensitive);
        });
    }

    bool isPinned(const TrackArrangement &arrangement, const QString &group)
    {
        return std::ranges::find(arrangement.pinned, group) != arrangement.pinned.end();
    }

    bool isShown(const TimelineTrack &track, const TrackArrangement &arrangement)
    {
        if (std::ranges::find(arrangement.hidden, track.group) != arrangement.hidden.end()) {
            return false;
        }
        if (isPinned(arrangement, track.group)) {
            return true; // whatever is filtered for
        }
        for (const TrackField field : { TrackField::Group, TrackField::Kind, TrackField::Name }) {
            bool isAsked = false, isMet = false;
            for (const TrackFilter &filter : arrangement.filters) {
                if (filter.field == field) {
                    isAsked = true;
                    isMet = isMet || isMatch(filter, track);
                }
            }
            if (isAsked && !isMet) {
                return false;
            }
        }
        return true;
    }

    /// With numbers padded, so that they are ordered by value.
    QString naturalKey(const QString &name)
    {
        constexpr int Digits = 19;
        QString key, number;
        for (const QChar c : name + QLatin1Char(' ')) {
            if (c.isDigit()) {
                number += c;
                continue;
            }
            key += number.isEmpty() ? number : number.rightJustified(Digits, QLatin1Char('0'));
            key += c.toCaseFolded();
            number.clear();
        }
        return key;
    }

    void sortRuns(std::vector<GroupRun> &runs, const std::vector<TimelineTrack> &tracks,
                  GroupOrder order, const GroupKeysByName &keys)
    {
        const auto keysOf = [&](const GroupRun &run) {
            const auto found = keys.find(tracks[run.first].group);
            return found == keys.end() ? GroupKeys() : found->second;
        };
        switch (order) {
        case GroupOrder::Source:
            return;
        case GroupOrder::Name:
            std::ranges::stable_sort(runs, [&](const GroupRun &x, const GroupRun &y) {
                return naturalKey(tracks[x.first].group) < naturalKey(tracks[y.first].group);
            });
            return;
        case GroupOrder::Wait:
            std::ranges::stable_sort(runs, [&](const GroupRun &x, const GroupRun &y) {
                return keysOf(x).waitNs > keysOf(y).waitNs;
            });
            return;
        case GroupOrder::Lateness:
            std::ranges::stable_sort(runs, [&](const GroupRun &x, const GroupRun &y) {
                return keysOf(x).lateNs > keysOf(y).lateNs;
            });
            return;
        }
    }

    QString headingOf(const QString &group, const TrackArrangement &arrangement,
                      const GroupKeysByName &keys)
    {
        if (arrangement.gatheredBy.isEmpty() || keys.empty()) { // which may yet come
            return {};
        }
        if (const auto ofGroup = keys.find(group); ofGroup != keys.end()) {
            const auto &sections = ofGroup->second.sections;
            if (const auto found = sections.find(arrangement.gatheredBy); found != sections.end()) {
                return found->second;
            }
        }
        return QCoreApplication::translate("Timeline", "other ranks");
    }

    /// Puts runs of one section together, in the order of their first runs.
    void gatherRuns(std::vector<GroupRun> &runs, const std::vector<TimelineTrack> &tracks,
                    const TrackArrangement &arrangement, const GroupKeysByName &keys)
    {
        std::map<QString, std::size_t> place;
        const auto headingOfRun = [&](const GroupRun &run) {
            return headingOf(tracks[run.first].group, arrangement, keys);
        };
        for (const GroupRun &run : runs) {
            place.try_emplace(headingOfRun(run), place.size());
        }
        std::ranges::stable_sort(runs, [&](const GroupRun &x, const GroupRun &y) {
            return place.at(headingOfRun(x)) < place.at(headingOfRun(y));
        });
    }

    /// The first track of each name.
    std::vector<std::size_t> alonePinned(const std::vector<TimelineTrack> &tracks,
                                         const TrackArrangement &arrangement)
    {
        std::vector<std::size_t> found;
        found.reserve(arrangement.pinnedTracks.size());
        for (const TrackName &name : arrangement.pinnedTracks) {
            const auto track = std::ranges::find(tracks, name, nameOf);
            if (track != tracks.end()) {
                found.push_back(static_cast<std::size_t>(track - tracks.begin()));
            }
        }
        return found;
    }

} // namespace

TrackName nameOf(const TimelineTrack &track)
{
    return { track.group, track.subgroup, track.name };
}

std::optional<TrackFilter> parsedFilter(const QString &text)
{
    static const QRegularExpression group(QStringLiteral("^rank\\s*[: ]\\s*(\\d+)$"),
                                          QRegularExpression::CaseInsensitiveOption);
    const QString kind = QStringLiteral("kind:");
    const QString typed = text.simplified();
    if (const auto match = group.match(typed); match.hasMatch()) {
        return TrackFilter { TrackField::Group, QStringLiteral("rank ") + match.captured(1) };
    }
    if (typed.startsWith(kind, Qt::CaseInsensitive)) {
        const QString word = typed.mid(kind.size()).trimmed();
        return word.isEmpty() ? std::nullopt
                              : std::optional(TrackFilter { TrackField::Kind, word });
    }
    return typed.isEmpty() ? std::nullopt : std::optional(TrackFilter { TrackField::Name, typed });
}

QString filterText(const TrackFilter &filter)
{
    return filter.field == TrackField::Kind ? QStringLiteral("kind:") + filter.text : filter.text;
}

std::vector<std::size_t> arrangedTracks(const std::vector<TimelineTrack> &tracks,
                                        const TrackArrangement &arrangement,
                                        const GroupKeysByName &keys)
{
    std::vector<GroupRun> runs = runsOf(tracks);
    sortRuns(runs, tracks, arrangement.order, keys);
    gatherRuns(runs, tracks, arrangement, keys);
    const auto pinRank = [&](const GroupRun &run) {
        return std::ranges::find(arrangement.pinned, tracks[run.first].group)
            - arrangement.pinned.begin();
    };
    std::ranges::stable_sort(
        runs, [&](const GroupRun &x, const GroupRun &y) { return pinRank(x) < pinRank(y); });
    std::vector<std::size_t> shown = alonePinned(tracks, arrangement);
    const std::set<std::size_t> alone(shown.begin(), shown.end());
    shown.reserve(tracks.size());
    for (const GroupRun &run : runs) {
        for (std::size_t track = run.first; track < run.end; ++track) {
            if (!alone.contains(track) && isShown(tracks[track], arrangement)) {
                shown.push_back(track);
            }
        }
    }
    return shown;
}

std::vector<TimelineTrack> placedTracks(const std::vector<TimelineTrack> &tracks,
                                        const std::vector<std::size_t> &order,
                                        const TrackArrangement &arrangement,
                                        const GroupKeysByName &keys)
{
    std::vector<TimelineTrack> placed;
    placed.reserve(order.size());
    const std::size_t alone = alonePinned(tracks, arrangement).size(); // the first ones of `order`
    for (const std::size_t track : order) {
        TimelineTrack &last = placed.emplace_back(tracks[track]);
        last.isAlone = placed.size() <= alone;
        last.isPinned = last.isAlone || isPinned(arrangement, last.group);
        if (!last.isPinned && !last.counter) {
            last.section = headingOf(last.group, arrangement, keys);
        }
    }
    return placed;
}

FoldState carriedFolds(const FoldState &folds, const std::vector<TimelineTrack> &before,
                       const std::vector<TimelineTrack> &after)
{
    std::set<QString> groups;
    std::set<std::pair<QString, QString>> subgroups;
    std::set<TrackName> tracks;
    for (const std::size_t first : folds.foldedGroups) {
        groups.insert(before.at(first).group);
    }
    for (const std::size_t first : folds.foldedSubgroups) {
        subgroups.insert({ before.at(first).group, before.at(first).subgroup });
    }
    for (const std::size_t track : folds.unfoldedTracks) {
        tracks.insert(nameOf(before.at(track)));
    }
    FoldState carried;
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (startsGroup(after, i) && groups.contains(after[i].group)) {
            carried.foldedGroups.insert(i);
        }
        if (startsSubgroup(after, i) && subgroups.contains({ after[i].group, after[i].subgroup })) {
            carried.foldedSubgroups.insert(i);
        }
        if (tracks.contains(nameOf(after[i]))) {
            carried.unfoldedTracks.insert(i);
        }
    }
    return carried;
}

FoldState foldsBeside(const FoldState &folds, const std::vector<TimelineTrack> &tracks,
                      const std::vector<TimelineTrack> &shown)
{
    std::set<QString> groups;
    std::set<std::pair<QString, QString>> subgroups;
    std::set<TrackName> names;
    for (const TimelineTrack &track : shown) {
        if (!track.isAlone) {
            groups.insert(track.group);
            subgroups.insert({ track.group, track.subgroup });
        }
        names.insert(nameOf(track));
    }
    FoldState beside;
    for (const std::size_t first : folds.foldedGroups) {
        if (first < tracks.size() && !groups.contains(tracks[first].group)) {
            beside.foldedGroups.insert(first);
        }
    }
    for (const std::size_t first : folds.foldedSubgroups) {
        if (first < tracks.size()
            && !subgroups.contains({ tracks[first].group, tracks[first].subgroup })) {
            beside.foldedSubgroups.insert(first);
        }
    }
    for (const std::size_t track : folds.unfoldedTracks) {
        if (track < tracks.size() && !names.contains(nameOf(tracks[track]))) {
            beside.unfoldedTracks.insert(track);
        }
    }
    return beside;
}

ArrangedSource::ArrangedSource(std::shared_ptr<const TimelineSource> source,
                               std::vector<std::size_t> order, std::vector<TimelineTrack> tracks)
    : m_source(std::move(source))
    , m_order(std::move(order))
    , m_shownAs(m_source->tracks().size())
    , m_tracks(std::move(tracks))
{
    for (std::size_t i = 0; i < m_order.size(); ++i) {
        m_shownAs[m_order[i]] = i;
    }
}

std::vector<TimelineBox> ArrangedSource::boxes(std::size_t track, core::TimeRange range,
                                               std::int64_t resolutionNs) const
{
    return m_source->boxes(m_order.at(track), range, resolutionNs);
}

std::vector<CounterPoint> ArrangedSource::counterPoints(std::size_t track, core::TimeRange range,
                                                        std::int64_t resolutionNs) const
{
    return m_source->counterPoints(m_order.at(track), range, resolutionNs);
}

QString ArrangedSource::boxName(std::size_t track, std::uint64_t id) const
{
    return m_source->boxName(m_order.at(track), id);
}

std::optional<std::pair<std::size_t, TimelineBox>> ArrangedSource::find(std::uint64_t id) const
{
    auto found = m_source->find(id);
    if (!found || !m_shownAs.at(found->first)) {
        return std::nullopt;
    }
    found->first = *m_shownAs[found->first];
    return found;
}

} // namespace ui
