#include "ui/views/timeline/kept_arrangement.h"

#include <QJsonArray>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace ui {

namespace {

    constexpr std::array<std::pair<GroupOrder, const char *>, 4> Orders { {
        { GroupOrder::Source, "rank" },
        { GroupOrder::Name, "name" },
        { GroupOrder::Wait, "wait" },
        { GroupOrder::Lateness, "lateness" },
    } };
    constexpr std::array<std::pair<TrackField, const char *>, 3> Fields { {
        { TrackField::Group, "rank" },
        { TrackField::Kind, "kind" },
        { TrackField::Name, "name" },
    } };
    constexpr std::size_t MostNames = 10'000; ///< a stranger's project may claim any number

    template <class Table, class Value>
    QString wordOf(const Table &table, Value value)
    {
        for (const auto &[known, word] : table)
            if (known == value)
                return QString::fromLatin1(word);
        return {};
    }

    /// The first value of the table where the word is not in it.
    template <class Table>
    auto valueOf(const Table &table, const QString &word)
    {
        for (const auto &[value, known] : table)
            if (word == QLatin1String(known))
                return value;
        return table.front().first;
    }

    QJsonArray arrayOfNames(const std::vector<QString> &names)
    {
        QJsonArray array;
        for (const QString &name : names)
            array.append(name);
        return array;
    }

    std::vector<QString> namesOfArray(const QJsonValue &value)
    {
        std::vector<QString> names;
        const QJsonArray array = value.toArray();
        names.reserve(std::min(static_cast<std::size_t>(array.size()), MostNames));
        for (const QJsonValue &name : array)
            if (!name.toString().isEmpty() && names.size() < MostNames)
                names.push_back(name.toString());
        return names;
    }

    /// "rank 3" of "rank 3 · node7".
    QString leadOf(const QString &group)
    {
        return group.section(QStringLiteral(" \u00b7 "), 0, 0);
    }

    std::vector<QString> groupsNow(const std::vector<QString> &kept,
                                   const std::map<QString, QString> &nowByLead)
    {
        std::vector<QString> groups;
        groups.reserve(kept.size());
        for (const QString &group : kept)
            if (const auto now = nowByLead.find(leadOf(group)); now != nowByLead.end())
                groups.push_back(now->second);
        return groups;
    }

} // namespace

QJsonObject arrangementObject(const TrackArrangement &arrangement)
{
    QJsonArray filters;
    for (const TrackFilter &filter : arrangement.filters)
        filters.append(QJsonObject { { QStringLiteral("field"), wordOf(Fields, filter.field) },
                                     { QStringLiteral("text"), filter.text } });
    QJsonArray pinnedTracks;
    for (const TrackName &track : arrangement.pinnedTracks)
        pinnedTracks.append(QJsonArray { track.group, track.subgroup, track.name });
    return { { QStringLiteral("order"), wordOf(Orders, arrangement.order) },
             { QStringLiteral("filters"), filters },
             { QStringLiteral("pinned_tracks"), pinnedTracks },
             { QStringLiteral("pinned"), arrayOfNames(arrangement.pinned) },
             { QStringLiteral("hidden"), arrayOfNames(arrangement.hidden) },
             { QStringLiteral("gathered_by"), arrangement.gatheredBy } };
}

TrackArrangement arrangementOf(const QJsonValue &value)
{
    TrackArrangement arrangement;
    arrangement.order = valueOf(Orders, value[QLatin1String("order")].toString());
    const QJsonArray filters = value[QLatin1String("filters")].toArray();
    for (const QJsonValue &filter : filters)
        if (const QString text = filter[QLatin1String("text")].toString();
            !text.isEmpty() && arrangement.filters.size() < MostNames)
            arrangement.filters.push_back(
                { valueOf(Fields, filter[QLatin1String("field")].toString()), text });
    const QJsonArray tracks = value[QLatin1String("pinned_tracks")].toArray();
    for (const QJsonValue &track : tracks)
        if (arrangement.pinnedTracks.size() < MostNames)
            arrangement.pinnedTracks.push_back(
                { track[0].toString(), track[1].toString(), track[2].toString() });
    arrangement.pinned = namesOfArray(value[QLatin1String("pinned")]);
    arrangement.hidden = namesOfArray(value[QLatin1String("hidden")]);
    arrangement.gatheredBy = value[QLatin1String("gathered_by")].toString();
    return arrangement;
}

TrackArrangement withNamesOf(const TrackArrangement &kept, const std::vector<TimelineTrack> &tracks)
{
    std::map<QString, QString> nowByLead;
    std::set<TrackName> names;
    for (const TimelineTrack &track : tracks) {
        nowByLead.try_emplace(leadOf(track.group), track.group);
        names.insert(nameOf(track));
    }
    TrackArrangement now = kept;
    now.pinned = groupsNow(kept.pinned, nowByLead);
    now.hidden = groupsNow(kept.hidden, nowByLead);
    now.pinnedTracks.clear();
    for (TrackName track : kept.pinnedTracks) {
        const auto group = nowByLead.find(leadOf(track.group));
        if (group != nowByLead.end())
            track.group = group->second;
        if (names.contains(track)
            && std::ranges::find(now.pinnedTracks, track) == now.pinnedTracks.end())
            now.pinnedTracks.push_back(std::move(track));
    }
    return now;
}

} // namespace ui
