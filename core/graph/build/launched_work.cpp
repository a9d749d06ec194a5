#include "core/graph/build/launched_work.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace core {

namespace {

    struct CallStart
    {
        std::uint64_t correlation = 0;
        std::int64_t startNs = 0;

        bool operator<(const CallStart &other) const { return correlation < other.correlation; }
    };

    std::vector<CallStart> callStarts(const Trace &trace, const std::vector<const Track *> &tracks)
    {
        std::vector<CallStart> calls;
        for (const Track *track : tracks) {
            const SliceColumns &slices = trace.slices[track->id.value];
            if (track->kind != TrackKind::HostThread || slices.correlation.empty())
                continue;
            for (std::size_t row = 0; row < slices.size(); ++row)
                if (slices.category[row] == Category::Runtime && slices.correlation[row] != 0)
                    calls.push_back({ slices.correlation[row], slices.startNs[row] });
        }
        std::stable_sort(calls.begin(), calls.end());
        return calls;
    }

    /// The stream's last activity that was launched before `ns`; where launches are not in the
    /// stream's order, that of the latest row.
    const LaunchedActivity *lastLaunched(const std::vector<LaunchedActivity> &stream,
                                         std::int64_t ns)
    {
        const auto end = std::partition_point(
            stream.begin(), stream.end(), [ns](const LaunchedActivity &one) {
                return (one.launchNs == LaunchedActivity::NotRecorded ? one.startNs : one.launchNs)
                    < ns;
            });
        if (end == stream.begin() || (end - 1)->launchNs == LaunchedActivity::NotRecorded)
            return nullptr;
        return &*(end - 1);
    }

} // namespace

LaunchedWork::LaunchedWork(const Trace &trace, const std::vector<const Track *> &tracks)
{
    const std::vector<CallStart> calls = callStarts(trace, tracks);
    for (const Track *track : tracks) {
        const SliceColumns &slices = trace.slices[track->id.value];
        if (track->kind != TrackKind::Stream || slices.correlation.empty())
            continue;
        std::vector<LaunchedActivity> stream;
        for (std::size_t row = 0; row < slices.size(); ++row) {
            if (!isDeviceActivity(slices.category[row]))
                continue;
            LaunchedActivity activity { LaunchedActivity::NotRecorded, slices.startNs[row],
                                        slices.endNs(row) };
            if (const std::uint64_t correlation = slices.correlation[row]; correlation != 0) {
                m_activities.push_back(correlation);
                const auto call
                    = std::lower_bound(calls.begin(), calls.end(), CallStart { correlation, 0 });
                if (call != calls.end() && call->correlation == correlation)
                    activity.launchNs = call->startNs;
            }
            stream.push_back(activity);
        }
        if (!stream.empty())
            m_streams.push_back(std::move(stream));
    }
    std::sort(m_activities.begin(), m_activities.end());
}

bool LaunchedWork::hasActivity(std::uint64_t correlation) const
{
    return std::binary_search(m_activities.begin(), m_activities.end(), correlation);
}

std::optional<std::int64_t> LaunchedWork::nearestEnd(std::int64_t startNs, std::int64_t endNs) const
{
    std::optional<std::int64_t> nearest;
    for (const std::vector<LaunchedActivity> &stream : m_streams) {
        const LaunchedActivity *last = lastLaunched(stream, startNs);
        if (last != nullptr
            && (!nearest || std::abs(endNs - last->endNs) < std::abs(endNs - *nearest)))
            nearest = last->endNs;
    }
    return nearest;
}

std::vector<std::vector<const Track *>> byFile(const std::vector<const Track *> &tracks)
{
    std::map<FileId, std::vector<const Track *>> files;
    for (const Track *track : tracks)
        files[track->file].push_back(track);
    std::vector<std::vector<const Track *>> all;
    all.reserve(files.size());
    for (auto &[file, own] : files)
        all.push_back(std::move(own));
    return all;
}

} // namespace core
