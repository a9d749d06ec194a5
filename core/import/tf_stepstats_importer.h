#pragma once

#include "core/import/importer.h"

namespace core {

/// Step statistics of TensorFlow 1 as the session gives them: a serialised RunMetadata (with the
/// partition graphs, if they were asked for) or the StepStats in it. One step of one or more tasks.
/// Source: step_stats.proto, config.proto.
class TfStepStatsImporter : public Importer
{
public:
    std::string_view name() const override { return "tensorflow-stepstats"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
