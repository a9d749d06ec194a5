#pragma once

#include "core/import/importer.h"

namespace core {

/// Timelines of TensorFlow 1 (timeline.Timeline(step_stats).generate_chrome_trace_format()): one
/// step of one or more tasks. Operators are slices under their node's name, their inputs
/// dependencies. Source: tensorflow/python/client/timeline.py.
class TfTimelineImporter : public Importer
{
public:
    std::string_view name() const override { return "tensorflow-timeline"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
