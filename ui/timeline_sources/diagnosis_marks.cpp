#include "ui/timeline_sources/diagnosis_marks.h"

#include <algorithm>

namespace ui {
namespace {

    /// By slice; of collectives and messages. Of findings that are recalled, which have no
    /// transfers, those of collectives only.
    std::unordered_map<std::uint64_t, std::int64_t> waitsOf(const core::Diagnosis &diagnosis)
    {
        std::unordered_map<std::uint64_t, std::int64_t> waits;
        const auto add = [&waits](std::uint64_t slice, std::int64_t waitNs) {
            if (waitNs > 0) {
                waits[slice] = waitNs;
            }
        };
        if (diagnosis.transfers.empty()) {
            for (const core::CollectiveReport &collective : diagnosis.collectives) {
                for (const core::CollectiveRankReport &rank : collective.ranks) {
                    add(rank.slice.value, rank.waitNs);
                }
            }
        }
        for (const auto &[slice, transfer] : diagnosis.transfers) {
            add(slice, transfer.waitNs);
        }
        return waits;
    }

} // namespace

std::vector<std::uint64_t> slicesOf(const core::Graph &graph,
                                    const std::vector<core::OpId> &criticalPath)
{
    std::unordered_map<std::uint32_t, std::uint64_t> lastPart; // by transfer
    for (const core::CollectiveNode &collective : graph.collectives) {
        const auto last
            = std::ranges::max_element(collective.parts, {}, &core::CollectiveNode::Part::startNs);
        if (last != collective.parts.end()) {
            lastPart[collective.transfer.value] = last->slice.value;
        }
    }
    std::vector<std::uint64_t> slices;
    for (const core::OpId op : criticalPath) {
        const auto part = lastPart.find(op.value);
        const std::uint64_t slice
            = part == lastPart.end() ? graph.slice[op.value].value : part->second;
        if (slice != core::NoSlice.value && (slices.empty() || slices.back() != slice)) {
            slices.push_back(slice);
        }
    }
    return slices;
}

TimelineBox boxOf(const core::SliceInfo &slice, const ClockMap &clocks)
{
    TimelineBox box;
    box.startNs = clocks.toAligned(slice.worker, slice.startNs);
    box.endNs = box.startNs + slice.durationNs;
    box.busyNs = slice.durationNs;
    box.id = slice.id.value;
    box.depth = slice.depth;
    box.role = core::roleOf(slice.category, slice.phase);
    return box;
}

std::shared_ptr<const DiagnosisMarks> marksOf(const core::Diagnosis &diagnosis,
                                              const std::filesystem::path &project,
                                              const core::JobControl &control)
{
    return marksOf(diagnosis, diagnosis.selfReplay.criticalPath, project, control);
}

std::shared_ptr<const DiagnosisMarks> marksOf(const core::Diagnosis &diagnosis,
                                              const std::vector<core::OpId> &criticalPath,
                                              const std::filesystem::path &project,
                                              const core::JobControl &control)
{
    auto marks = std::make_shared<DiagnosisMarks>();
    marks->waitNs = waitsOf(diagnosis);
    if (diagnosis.selfReplay.graph == nullptr) {
        return marks;
    }
    marks->criticalPath = slicesOf(*diagnosis.selfReplay.graph, criticalPath);
    const core::ProjectReader reader(project);
    const ClockMap clocks(reader.info().alignment);
    for (const std::uint64_t id : marks->criticalPath) {
        core::throwIfCancelled(control);
        const auto slice = reader.slice(core::SliceId(id));
        if (!slice) {
            continue;
        }
        TimelineBox box = boxOf(*slice, clocks);
        if (const auto wait = marks->waitNs.find(id); wait != marks->waitNs.end()) {
            box.waitNs = wait->second;
        }
        marks->steps.emplace(id, std::pair(slice->track, box));
    }
    return marks;
}

} // namespace ui
