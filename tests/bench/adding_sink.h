#pragma once

#include "core/model/trace_sink.h"
#include "tests/bench/kineto_parsers.h"

namespace bench {

/// Adds up what it gets and keeps nothing else.
class AddingSink : public core::TraceSink
{
public:
    core::Diagnostics &diagnostics() override { return m_diagnostics; }
    core::NameId intern(std::string_view text) override
    {
        extracted.textSize += text.size();
        return {};
    }
    core::WorkerId addWorker() override { return {}; }
    void describeWorker(core::WorkerId, const core::WorkerInfo &) override { }
    core::TrackId track(core::WorkerId, const core::TrackSpec &) override { return {}; }
    void nameTrack(core::TrackId, std::string_view) override { }
    void slice(core::TrackId, const core::SliceRecord &record) override
    {
        ++extracted.slices;
        extracted.timeSumNs += static_cast<std::uint64_t>(record.startNs + record.durationNs);
        extracted.linkSum += record.correlation + record.externalId;
        extracted.textSize += record.args.size();
    }
    core::TensorId tensor(core::WorkerId, const core::TensorRecord &) override { return {}; }
    void memory(core::WorkerId, const core::MemoryEvent &) override { }
    void dependency(core::WorkerId, const core::DependencyEdge &) override { }
    void iteration(core::WorkerId, std::int64_t, core::TimeRange) override { }
    void metadata(std::string_view, std::string_view) override { }
    void countEvents(core::WorkerId, std::string_view, std::uint64_t count) override
    {
        extracted.events += count;
    }

    Extracted extracted;

private:
    core::Diagnostics m_diagnostics;
};

} // namespace bench
