#include "core/pipeline/stated_algorithms.h"

#include "core/import/nccl_names.h"

#include <set>

namespace core {

void addStatedAlgorithms(const ProjectReader &reader, Trace &trace, const JobControl &control)
{
    std::set<FileId> ofNccl;
    for (const SourceFile &file : reader.info().files)
        if (file.id && isNcclFormat(file.format))
            ofNccl.insert(*file.id);
    if (ofNccl.empty())
        return; // other files have many arguments to read, and state none
    for (CollectiveCall &call : trace.collectives) {
        throwIfCancelled(control);
        const auto slice = reader.slice(call.slice);
        if (slice && ofNccl.contains(trace.tracks[slice->track.value].file))
            call.algorithm = ncclAlgorithm(slice->args);
    }
}

} // namespace core
