#pragma once

#include "core/import/importer.h"

namespace core {

/// SQLite exports of Nsight Systems (nsys export --type sqlite), schemas 2.9 to 3.25.
///
/// The files, from the file to the sink, and the rules:
/// - stored_file: the entry as a file on disk; packed ones are unpacked into a temporary file
/// - nsight_database: tables whose columns come and go; rows, damage, progress
/// - nsight_strings, nsight_kernel_names: texts by number, looked up when they are used
/// - nsight_session: start time, host, environment, GPUs, what the profiler warned of
/// - nsight_survey, nsight_processes: a first look: which process is which worker and rank
/// - nsight_nvtx, nvtx_payload, step_name: NVTX ranges, structured payloads, steps
/// - nsight_host, mpi_call: CUDA calls, libraries, MPI, OS calls, the profiler's cost
/// - nsight_nccl: ties communication kernels to the NCCL calls that launched them
/// - nsight_device, nsight_sync: kernels, copies, sets, graphs, memory; who waits for what
/// - One worker for every process with GPU activity (else with NVTX ranges, else with calls). Rows
///   of other processes go to the only worker, or are counted. Every row is counted under its
///   table's name; that tables of samples, scheduling and others are not read is told.
/// - Ranks: NCCL's payload of the largest communicator, else "MPI Rank n" of an NVTX thread name,
///   else the environment (one rank), else the order of process ids with a warning, else the file's
///   name.
/// - Times: `utcEpochNs` + the row's. Correlations belong to a process. Streams are rows of device,
///   context and number. Devices have the host's numbers where TARGET_INFO_CUDA_DEVICE tells them:
///   a process counts those that it sees.
/// - Collectives are kernels; size, communicator and its number of ranks come from the NVTX range
///   of the launching call (domain "NCCL"), or from the group that ended with the launch.
///   Communicator ids name the process groups; numbers are left to matching by occurrence.
/// - `binaryData`: domain, schema, size, offset (u64 each), then the payload, laid out by
///   NVTX_PAYLOAD_SCHEMA_ENTRIES.
/// - Steps are ranges such as "iteration 5"; one lasts until the next begins, unless the gap is as
///   long as the step.
/// - PyTorch's `emit_nvtx` ranges become framework ops: name up to ", seq = ", sequence number, the
///   rest as argument.
/// - Of a file that was cut off, the tables' pages that are there are read; damage ends a table,
///   and texts that are lost become "?".
/// - An awaited event's stream and call: the last record of the event before the wait, by
///   correlation.
class NsightImporter : public Importer
{
public:
    std::string_view name() const override { return "nsight"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
