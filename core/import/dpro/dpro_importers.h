#pragma once

#include "core/import/importer.h"

namespace core {

/// The files of a dPRO trace folder (`<host>/<local rank>/...`) that hold events with dPRO's names.
/// Each kind is a format of its own, so that a rank's files become one worker.
///
/// - trace.json.gz (dpro-compute (`framework_ops`)): kernels: TensorFlow's row "TensorFlow Ops",
///   MXNet's GPUs, dPRO's FW and BW
/// - comm.json (horovod, byteps): collectives with their tensors
/// - comm_detail.json (dpro-comm-detail (`dpro_rank`)): sends and receives
/// - io.json (dpro-io (`dpro_rank`)): the input pipeline
/// - dag.gml (dpro-dag (`gml_reader`)): dependencies by the kernels' names
/// - bps_trace_final.json (dpro-merged (`dpro_rank`)): all ranks at once, where the others are
///   missing
/// - comm_timeline.json, server_timeline.json (dpro-ps-comm, dpro-ps-server): parameter servers,
///   with the ranks after the GPUs'
/// - `dpro_folder` reads gradient_name_list.json, gradient_name2ID.json and nccl_rank_graph.json
///   (rings) as they are needed, `dpro_model` metadata.json (sizes of tensors).
/// - dPRO has no id of a transfer: it is tensors, loop, channel, chunk (really the step on the
///   ring), slice, the two ranks by the ring, and how often that came before.
/// - statistic.txt and nccl_graph.txt are Python text that dPRO evaluates: here they are never
///   read.
/// - `step_ranges`: iterations where ops name their step. Else (`mxnet_importer`) an op's n-th run
///   is in iteration n.

/// comm_detail.json: sends and receives of NCCL's network proxies.
class DproCommDetailImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-comm-detail"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

/// io.json: the input pipeline.
class DproInputImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-io"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

/// bps_trace_final.json: the traces of all ranks in one file, made from the others. It is read only
/// where these are not in the bundle.
class DproMergedImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-merged"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    std::optional<std::string> reasonToLeaveOut(const BundleEntry &entry) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

/// dag.gml: what each op of a rank waits for, by name.
class DproGraphImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-dag"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
