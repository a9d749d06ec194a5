#pragma once

#include "core/import/importer.h"

namespace core {

/// Traces of torch.profiler (Kineto), of all versions and accelerators, and bare lists of such
/// events. Reads in one pass, in constant memory.
///
/// The files, from the bytes to the sink, and the rules:
/// - json_scan.h: finds ends of strings and values in memory, 16 bytes at a time
/// - json_window: a 512 KiB buffer that moves over the entry; grows for a larger value, up to 64
///   MiB
/// - chrome_event: reads one event in one pass; decodes only what is used, skips the rest
/// - chrome_event_list: the list of events: damage, cut ends
/// - chrome_trace_reader: all of these run on a thread of their own; what they find comes in
/// batches
/// - kineto_translator: event -> slice, collective, wait; counts what is no slice
/// - kineto_clock, kineto_ranks, kineto_tracks, kineto_categories, kineto_collectives: time base,
///   ranks, rows, names
/// - kineto_header: rank, process groups, devices, versions
/// - kineto_importer: the keys of the outermost object, in any order
/// - Times: decimal text -> int64 ns (`decimal_time`), never through double. `baseTimeNanoseconds`
///   is added. If it comes after the events (PyTorch 2.4 to 2.6) it is looked for in the last 256
///   KiB of the entry when the first time is needed; that costs a seek for a plain file and one
///   more inflation for a compressed one.
/// - Damage costs the damaged event: reading goes on at the next place from where a whole event
///   with a `ph` can be read. One diagnostic names the first byte, the count and the bytes lost.
///   Error severity means that some input was not read.
/// - Every record is counted under its `cat` ("none" without one); X and matched B/E become slices.
/// - Rows are (pid, tid, kind), the kind by category, since pids of hosts and devices collide in
///   containers. `gloo:*` and `mpi:*` operations lie on Communication rows of their thread, as do
///   rows that a reducer recorded by hand (`allreduce ... bucket=`, `slice=`, `PUSH`, `PULL`,
///   `SEND`, `RECV`).
/// - Collectives: group, number and size from the arguments of the kernel, else of its host op
///   (`kineto_collective_calls`); without them the group is "" and matching goes by occurrence.
///   Bucket marks have the group "bucket", since the backend's own operations lie inside them.
///   NCCL's `SendRecv` kernels are `send_recv` unless the arguments, or the call that launched
///   them, say more.
/// - Kernels of serving engines and vendors' libraries are communication by name, or by the op that
///   launched them (`collective_kernels`). Events without a category are what their process is
///   (`kineto_processes`: torch_npu).
/// - A file is one rank, except where `process_labels` ("rank 3") name the ranks of its processes,
///   as exported timelines do.
/// - Sends and receives (`kineto_transfers`): the transaction has group, both ranks and how often
///   that came before, since PyTorch's `Seq` counts a process's transfers with all its peers and so
///   differs at the two ends.
/// - Allocations: the instants `[memory]` (`kineto_memory`); traces before 2022 have neither
///   addresses nor totals.
/// - Waits: `stream` is made to wait for `waitOnStream` / `waitOnCorrelation`; all absent: the host
///   waits for all streams.
class KinetoImporter : public Importer
{
public:
    std::string_view name() const override { return "kineto"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
