#pragma once

#include "core/bundle/bundle.h"
#include "core/model/trace_sink.h"

namespace core {

/// Rank and size of the job of a torch_npu trace (.../ASCEND_PROFILER_OUTPUT/trace_view.json),
/// which does not state them: the files of the folder above do (profiler_metadata.json, else the
/// name of profiler_info_<rank>.json). Empty for other traces, and where these files are absent or
/// damaged.
WorkerInfo ascendRank(const BundleEntry &entry);

} // namespace core
