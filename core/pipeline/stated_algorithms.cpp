#include "core/pipeline/stated_algorithms.h"

#include "core/import/nccl/nccl_names.h"

namespace core {

void addStatedAlgorithms(const ProjectReader &reader, Trace &trace, const MergedCollectives &merged,
                         const JobControl &control)
{
    const std::set<FileId> ofNccl = filesOfNccl(reader.info());
    if (ofNccl.empty())
        return; // other files have many arguments to read, and state none
    for (CollectiveCall &call : trace.collectives) {
        throwIfCancelled(control);
        const auto record = merged.recordOf.find(call.slice);
        const auto slice
            = reader.slice(record == merged.recordOf.end() ? call.slice : record->second);
        if (slice && ofNccl.contains(trace.tracks[slice->track.value].file))
            call.algorithm = ncclAlgorithm(slice->args);
    }
}

} // namespace core
