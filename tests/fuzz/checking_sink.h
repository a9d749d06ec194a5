#pragma once

#include "core/model/trace_sink.h"

#include <vector>

namespace fuzz {

/// A TraceSink that keeps nothing and aborts when an importer breaks the sink's contract: unknown
/// ids, names that are no UTF-8, arguments that are no JSON object, texts larger than a small input
/// can hold.
class CheckingSink : public core::TraceSink
{
public:
    core::Diagnostics &diagnostics() override { return m_diagnostics; }
    core::NameId intern(std::string_view text) override;
    core::WorkerId addWorker() override;
    void describeWorker(core::WorkerId worker, const core::WorkerInfo &info) override;
    core::TrackId track(core::WorkerId worker, const core::TrackSpec &spec) override;
    void nameTrack(core::TrackId track, std::string_view name) override;
    void slice(core::TrackId track, const core::SliceRecord &record) override;
    core::TensorId tensor(core::WorkerId worker, const core::TensorRecord &record) override;
    void memory(core::WorkerId worker, const core::MemoryEvent &event) override;
    void dependency(core::WorkerId worker, const core::DependencyEdge &edge) override;
    void iteration(core::WorkerId worker, std::int64_t index, core::TimeRange range) override;
    void metadata(std::string_view name, std::string_view text) override;
    void countEvents(core::WorkerId worker, std::string_view category,
                     std::uint64_t count) override;

private:
    core::Diagnostics m_diagnostics;
    std::uint32_t m_names = 0, m_workers = 0, m_tracks = 0, m_tensors = 0;
};

} // namespace fuzz
