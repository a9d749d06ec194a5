#include "core/pipeline/impossible_durations.h"

#include "core/base/duration_text.h"
#include "core/model/category.h"
#include "core/model/finish_track.h"
#include "core/model/metadata_keys.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t FewestOverrun = 3; ///< later operations of the stream
    constexpr std::size_t FewestOfName = 3; ///< operations that a duration is compared with
    constexpr std::int64_t MuchLonger = 8; ///< than the median of its name
    constexpr std::size_t RareShare = 50; ///< one of so many operations of a stream at most

    /// Rows of operations that last until others of their stream have begun, beyond its rounding.
    std::vector<std::size_t> overrunning(const SliceColumns &slices)
    {
        std::vector<std::size_t> rows;
        for (std::size_t row = 0; row + FewestOverrun < slices.size(); ++row) {
            // Rows are in the order of their starts.
            const std::int64_t lastNs = slices.startNs[row + FewestOverrun];
            if (isDeviceActivity(slices.category[row])
                && slices.endNs(row) > lastNs + TouchToleranceNs && slices.startNs[row] < lastNs)
                rows.push_back(row);
        }
        return rows;
    }

    /// Of all operations of each name that is among `rows`, without these. `rows` ascend.
    std::map<NameId, std::int64_t> otherMedians(const SliceColumns &slices,
                                                const std::vector<std::size_t> &rows)
    {
        std::map<NameId, std::vector<std::int64_t>> durations;
        for (const std::size_t row : rows)
            durations[slices.name[row]];
        for (std::size_t row = 0; row < slices.size(); ++row)
            if (const auto found = durations.find(slices.name[row]);
                found != durations.end() && !std::binary_search(rows.begin(), rows.end(), row))
                found->second.push_back(slices.durationNs[row]);
        std::map<NameId, std::int64_t> medians;
        for (auto &[name, all] : durations) {
            if (all.size() < FewestOfName)
                continue;
            const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
            std::nth_element(all.begin(), middle, all.end());
            medians.emplace(name, *middle);
        }
        return medians;
    }

    std::vector<std::size_t> impossible(const SliceColumns &slices)
    {
        std::vector<std::size_t> rows = overrunning(slices);
        if (rows.empty() || rows.size() * RareShare > std::max(slices.size(), RareShare))
            return {};
        const auto medians = otherMedians(slices, rows);
        std::erase_if(rows, [&](std::size_t row) {
            const auto median = medians.find(slices.name[row]);
            return median == medians.end() || slices.durationNs[row] / MuchLonger <= median->second;
        });
        return rows;
    }

    /// The first start of the stream after the row's.
    std::int64_t nextStartNs(const SliceColumns &slices, std::size_t row)
    {
        return *std::upper_bound(slices.startNs.begin() + static_cast<std::ptrdiff_t>(row),
                                 slices.startNs.end(), slices.startNs[row]);
    }

    void placeDepths(SliceColumns &slices)
    {
        DepthAssigner depths;
        for (std::size_t row = 0; row < slices.depth.size(); ++row)
            slices.depth[row] = depths.place(slices.startNs[row], slices.endNs(row));
    }

    std::string repairText(const Trace &trace, const Track &track, std::size_t count,
                           std::int64_t longestNs, NameId longest)
    {
        return "Rank " + std::to_string(trace.workers[track.worker.value].rank) + ", " + track.name
            + ": " + std::to_string(count) + (count == 1 ? " operation lasts" : " operations last")
            + " longer than is possible (" + trace.nameOf(longest) + ", " + durationText(longestNs)
            + "): later ones of the stream, which runs one after the other, had begun before. "
            + (count == 1 ? "It counts" : "Each counts") + " until the next one begins.";
    }

} // namespace

void clipImpossibleDurations(Trace &trace)
{
    for (const Track &track : trace.tracks) {
        if (track.kind != TrackKind::Stream)
            continue;
        SliceColumns &slices = trace.slices[track.id.value];
        const std::vector<std::size_t> rows = impossible(slices);
        if (rows.empty())
            continue;
        const std::size_t longest
            = *std::max_element(rows.begin(), rows.end(), [&slices](std::size_t a, std::size_t b) {
                  return slices.durationNs[a] < slices.durationNs[b];
              });
        trace.metadata.push_back({ '#' + std::string(RepairKey),
                                   repairText(trace, track, rows.size(), slices.durationNs[longest],
                                              slices.name[longest]) });
        for (const std::size_t row : rows)
            slices.durationNs[row] = nextStartNs(slices, row) - slices.startNs[row];
        placeDepths(slices);
    }
}

} // namespace core
