#pragma once

#include "core/base/job_control.h"
#include "core/predict/prediction.h"
#include "core/project/read/project_reader.h"

#include <cstdint>
#include <filesystem>

namespace core {

/// Writes the measured timeline, aligned, as Chrome trace JSON (one pid a rank; times in us
/// relative to the first slice, three decimals; links, collectives and waits as Kineto writes them,
/// so that importing the file gives the same ranks, tracks and slices), compressed if the name ends
/// in .gz. The file appears whole or not at all. Returns how many slices were written; throws Error
/// when the file cannot be written.
std::uint64_t exportMeasured(const ProjectReader &project, const std::filesystem::path &file,
                             const JobControl &control);

/// The same for a replayed timeline: one slice an op and a part of a collective, one a chunk on the
/// rows of both ranks (expand=1), and one an iteration of a rank, as torch.profiler marks steps,
/// with the trace's number.
std::uint64_t exportPredicted(const Trace &trace, const Prediction &result,
                              const std::filesystem::path &file, const JobControl &control);

} // namespace core
