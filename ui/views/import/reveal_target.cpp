#include "ui/views/import/reveal_target.h"

#include <algorithm>

namespace ui {

namespace {

    core::TimeRange alignedRange(const core::ProjectInfo &info, const core::Track &track)
    {
        const auto &clocks = info.alignment.workers;
        if (track.worker.value >= clocks.size())
            return track.range;
        const core::Alignment &clock = clocks[track.worker.value];
        return { clock.toAligned(track.range.startNs), clock.toAligned(track.range.endNs) };
    }

    /// Of the tracks that `isWanted`, those of the first's rank.
    template <class Condition>
    std::optional<RevealTarget> targetOf(const core::ProjectInfo &info, Condition isWanted)
    {
        std::optional<RevealTarget> target;
        for (const core::Track &track : info.tracks) {
            if (track.sliceCount == 0 || !isWanted(track))
                continue;
            const core::TimeRange range = alignedRange(info, track);
            const int rank = info.workers[track.worker.value].rank;
            if (!target)
                target = RevealTarget { track.firstSlice, range, rank };
            else if (target->rank == rank)
                target->range = { std::min(target->range.startNs, range.startNs),
                                  std::max(target->range.endNs, range.endNs) };
        }
        return target;
    }

} // namespace

std::optional<RevealTarget> revealTarget(const core::ProjectInfo &info, const std::string &file)
{
    const auto source = std::ranges::find_if(info.files, [&](const core::SourceFile &one) {
        return one.name == file && one.status == core::FileStatus::Read;
    });
    if (source == info.files.end())
        return std::nullopt;
    return targetOf(info, [&](const core::Track &track) { return track.file == source->id; });
}

std::optional<RevealTarget> revealRank(const core::ProjectInfo &info, int rank)
{
    return targetOf(info, [&](const core::Track &track) {
        return info.workers[track.worker.value].rank == rank;
    });
}

} // namespace ui
