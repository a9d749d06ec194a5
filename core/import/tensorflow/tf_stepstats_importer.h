#pragma once

#include "core/import/importer.h"

namespace core {

/// Step statistics of TensorFlow 1 as the session gives them: a serialised RunMetadata (with the
/// partition graphs, if they were asked for) or the StepStats in it. One step of one or more tasks.
/// Source: step_stats.proto, config.proto.
///
/// TensorFlow 1: step statistics (`tf_stepstats_importer`: serialised RunMetadata or StepStats) and
/// the timeline that `timeline.Timeline` makes of them (`tf_timeline_importer`, Chrome JSON) go
/// through `tf_rows`; `tf_device` takes device names apart, `tf_ops` labels and operators,
/// `tf_partition_graphs` reads the graphs.
/// - One task of a job is one worker: chief, workers, then the others are the ranks. A file of one
///   task that is no `worker` names no rank.
/// - Slices have the names of graph nodes, so that dependencies (by name) tie them: from the
///   partition graphs, else from the inputs in labels and arguments. Edges from NextIteration to
///   Merge, which close loops, are left out.
/// - `stream:all` and `memcpy` repeat single streams: annotations, unless there are no single
///   streams.
/// - `_Send`, `_Recv` and `RecvTensor` between tasks are transfers; between devices of one task
///   they are dependencies.
class TfStepStatsImporter : public Importer
{
public:
    std::string_view name() const override { return "tensorflow-stepstats"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
