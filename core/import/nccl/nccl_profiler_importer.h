#pragma once

#include "core/import/importer.h"

namespace core {

/// The JSON dump of the example profiler plug-in that comes with NCCL (2.23 and later): begin and
/// end records of collectives, sends and receives, their kernel channels and network steps. Memory
/// is bounded by what belongs to one group of NCCL calls.
///
/// The files and the rules:
/// - lenient_members: arguments with values that JSON does not know; strict text of them
/// - nccl_event_tree: puts records together by the order of the file, since ids repeat
/// - nccl_event_translator: rank of every event; collectives, transfers, steps, host calls ->
///   slices
/// - nccl_names: element sizes; the name that both ends of a transfer share
/// - nccl_profiler_importer: recognises the dump and runs the above
/// - A collective's own record is the host's enqueuing (a Runtime slice). Its CommKernel slice runs
///   from the first kernel channel's start to the last end of kernel channels and network
///   operations; without any such end there is none.
/// - SendWait and RecvWait are the transfers. Transaction: communicator, function and number (or
///   number of the send between the two ranks), both ranks, step. Peer and rank are those of the
///   communicator.
/// - 0 stands for a time that was not taken: such events are counted and make no slice. Times count
///   from the plug-in's start; the GPU clock is used for durations only, since the GPUs of one host
///   can differ by a minute.
class NcclProfilerImporter : public Importer
{
public:
    std::string_view name() const override { return "nccl-profiler"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
