#include "ui/timeline_sources/track_order.h"

#include "core/model/kinds/host_role.h"
#include "core/model/unrelated_clocks.h"

#include <QCoreApplication>

#include <algorithm>
#include <tuple>

namespace ui {
namespace {

    /// Streams are told apart by number: 7 comes before 20.
    qlonglong streamNumber(const core::Track &track)
    {
        const bool isStream = track.kind == core::TrackKind::Stream;
        return isStream ? QString::fromStdString(track.tid).toLongLong() : 0;
    }

    QString subgroupOf(const core::Track &track, const QString &accelerator)
    {
        switch (track.kind) {
        case core::TrackKind::Stream:
        case core::TrackKind::StreamSync:
            return track.device ? accelerator + u' ' + QString::number(*track.device) : accelerator;
        case core::TrackKind::Communication:
            return QCoreApplication::translate("Timeline", "communication");
        case core::TrackKind::HostThread:
            return QCoreApplication::translate("Timeline", "host");
        case core::TrackKind::Annotation:
            return QCoreApplication::translate("Timeline", "annotations");
        case core::TrackKind::Other:
            break;
        }
        return QCoreApplication::translate("Timeline", "other");
    }

    QString acceleratorOf(const core::ProjectInfo &info, const core::Worker &worker)
    {
        return worker.id.value < info.accelerators.size()
            ? QString::fromStdString(info.accelerators[worker.id.value])
            : QStringLiteral("GPU");
    }

    /// Header of a rank: "rank 0", that its clock is not aligned where it is drawn beside the
    /// others all the same, and its host where that is known.
    QString groupOf(const core::ProjectInfo &info, const core::Worker &worker)
    {
        const QString separator = QStringLiteral(" \u00b7 ");
        QString group = QCoreApplication::translate("Timeline", "rank %1").arg(worker.rank);
        const auto &clocks = info.alignment.workers;
        if (worker.id.value < clocks.size() && core::isPlaced(clocks[worker.id.value]))
            group += separator
                + QCoreApplication::translate("Timeline", "no common clock with rank %1")
                      .arg(core::referenceRank(info.workers, info.alignment).value_or(0));
        return worker.host.empty() ? group
                                   : group + separator + QString::fromStdString(worker.host);
    }

    /// By WorkerId: how long its longest host thread lasts, from first slice to last.
    std::vector<std::int64_t> longestThreads(const core::ProjectInfo &info)
    {
        std::vector<std::int64_t> longestNs(info.workers.size());
        for (const core::Track &track : info.tracks) {
            if (track.kind == core::TrackKind::HostThread) {
                std::int64_t &longest = longestNs[track.worker.value];
                longest = std::max(longest, track.range.durationNs());
            }
        }
        return longestNs;
    }

    bool isMinor(const core::Track &track, const std::vector<std::int64_t> &longestNs)
    {
        constexpr std::int64_t Times = 100;
        switch (track.kind) {
        case core::TrackKind::HostThread:
            return track.range.durationNs() * Times < longestNs[track.worker.value];
        case core::TrackKind::Annotation:
            return track.sliceCount == 1;
        default:
            return false;
        }
    }

} // namespace

core::Role roleOnTrack(core::TrackKind kind, bool hasDevice, core::Role role)
{
    return kind == core::TrackKind::HostThread ? core::hostRole(role, hasDevice) : role;
}

int placeOf(core::TrackKind kind)
{
    switch (kind) {
    case core::TrackKind::Stream:
    case core::TrackKind::StreamSync:
        return 0;
    case core::TrackKind::Communication:
        return 1;
    case core::TrackKind::HostThread:
        return 2;
    case core::TrackKind::Annotation:
        return 3;
    case core::TrackKind::Other:
        break;
    }
    return 4;
}

OrderedTracks orderTracks(const core::ProjectInfo &info)
{
    std::vector<const core::Track *> shown;
    for (const core::Track &track : info.tracks) {
        if (track.sliceCount > 0) {
            shown.push_back(&track);
        }
    }
    const std::vector<std::int64_t> longestNs = longestThreads(info);
    const auto key = [&](const core::Track *track) {
        const bool isHost = track->kind == core::TrackKind::HostThread;
        const auto busiestFirst = isHost ? -static_cast<std::int64_t>(track->sliceCount) : 0;
        return std::tuple(info.workers[track->worker.value].rank, track->worker.value,
                          isMinor(*track, longestNs), placeOf(track->kind),
                          track->device.value_or(-1), track->kind == core::TrackKind::StreamSync,
                          busiestFirst, streamNumber(*track), track->id.value);
    };
    std::ranges::sort(shown, {}, key);
    OrderedTracks ordered;
    for (const core::Worker &worker : info.workers) {
        ordered.groups.push_back(groupOf(info, worker));
        ordered.hosts.push_back(QString::fromStdString(worker.host));
        ordered.accelerators.push_back(acceleratorOf(info, worker));
    }
    for (const core::Track *track : shown) {
        const bool isFolded = isMinor(*track, longestNs);
        ordered.ids.push_back(track->id);
        ordered.tracks.push_back(
            { .name = QString::fromStdString(track->name),
              .group = ordered.groups[track->worker.value],
              .subgroup = isFolded ? QCoreApplication::translate("Timeline", "little recorded")
                                   : subgroupOf(*track, ordered.accelerators[track->worker.value]),
              .depthCount = std::max(1U, track->depthCount),
              .kind = track->kind,
              .isMinor = isFolded,
              .sliceCount = track->sliceCount });
    }
    return ordered;
}

} // namespace ui
