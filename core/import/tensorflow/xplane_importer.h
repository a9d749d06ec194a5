#pragma once

#include "core/import/importer.h"

namespace core {

/// Profiles of TensorFlow, JAX and PyTorch/XLA (*.xplane.pb, message XSpace): GPU, TPU and host.
/// Reads in two passes, as the names of events stand behind them; memory holds names and one event.
/// Source: xplane.proto of openxla/xla.
///
/// The files, from the bytes to the sink, and the rules:
/// - protobuf_stream: walks over a protobuf message of any size while it is read
/// - xspace_outline: first pass: planes, lines, names; memory holds names as far as it may
/// - xstat: the figures of an event, and as JSON
/// - xplane_rows: what a line is: stream, host thread, derived row
/// - hlo_collectives: collective and bytes of an XLA instruction
/// - xplane_translator, xplane_steps: second pass: event -> slice, memory event, step
/// - One file is one worker, since it is written by one process; its devices are told apart by the
///   tracks' device index. The file names no rank: it comes from the file's name, from the user, or
///   from the order of the files of a folder (`Importer::isNumberedByOrder`).
/// - Measured are the stream lines of a GPU and the `XLA Ops` of a TPU. All other lines of a device
///   (Steps, XLA Modules, TensorFlow Ops ...) are derived by the profiler: they are annotations and
///   no device time.
/// - Times: picoseconds, start and end rounded down to ns alike. Newer profilers count from the
///   profile's start, which `profile_start_time` of the plane `Task Environment` gives; it is
///   added.
/// - Steps: host events with `step_num`, else the devices' `Steps` lines, from the first device's
///   start to the last's end.
/// - Collectives: NCCL and RCCL kernels by name, generic ones by their `hlo_op`; on TPU the
///   instruction. Of an asynchronous one the `-done`, which waits, is the collective, and the
///   `-start` a kernel.
/// - Allocations become memory events, not slices. Records are counted by plane, those of devices
///   by plane and line.
class XPlaneImporter : public Importer
{
public:
    std::string_view name() const override { return "xplane"; }
    bool isNumberedByOrder() const override { return true; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    std::optional<std::string> damageIn(std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
