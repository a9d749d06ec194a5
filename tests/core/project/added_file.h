#pragma once

#include "core/project/write/project_writer.h"
#include "random_trace.h"

#include <optional>
#include <string>

namespace tests {

/// Writes one file of the bundle; the importer says `rank` where it is given.
inline bool addFile(core::ProjectWriter &writer, const std::string &name, std::optional<int> rank,
                    std::size_t slices, std::optional<int> fallback = {},
                    const core::JobControl &control = {})
{
    core::CollectedFile file({ name, "kineto", 100 });
    const core::WorkerId worker = file.addWorker();
    file.describeWorker(worker, { rank, 2, "" });
    const core::TrackId track = file.track(worker, { core::TrackKind::HostThread, "1", "1", {} });
    writeRows(file, track, RandomTrace(9).rows(slices, 50'000'000));
    file.countEvents(worker, "cpu_op", slices);
    return writer.add(
               file, [fallback] { return fallback; }, control)
        == core::AddResult::Added;
}

} // namespace tests
