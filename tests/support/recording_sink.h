#pragma once

#include "core/model/trace_sink.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace tests {

/// A TraceSink that keeps everything and prints it as text, so that tests compare texts.
class RecordingSink : public core::TraceSink
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

    /// One line a worker, category, track and slice, in order of arrival:
    ///   track 0: stream pid=0 tid=7 device=0 "stream 7"
    ///     1000+500 kernel "gemm" correlation=3
    /// then tensors, memory events, dependencies, iterations and metadata, one line each.
    std::string text() const;
    /// How much arrived, one line a kind of record and a diagnostic: "events kernel 3", "slices 3",
    /// "tensors 0", "diagnostic bad-time error 1".
    std::string countsText() const;
    /// One line a diagnostic: code, severity, count and offset, without the message.
    std::string diagnosticsText() const;

    const std::map<std::string, std::uint64_t> &counts() const { return m_counts; }
    /// The lines of text() after the tracks.
    const std::vector<std::string> &notes() const { return m_notes; }
    std::uint64_t sliceCount() const { return m_sliceCount; }
    const core::WorkerInfo &worker() const { return m_workers.back(); }
    std::size_t workerCount() const { return m_workers.size(); }

private:
    struct Track
    {
        std::string spec, name;
        std::vector<std::string> slices;
    };

    core::Diagnostics m_diagnostics;
    std::vector<core::WorkerInfo> m_workers;
    std::map<std::string, std::uint64_t> m_counts;
    std::vector<std::string> m_names;
    std::map<std::string, core::NameId, std::less<>> m_nameIds;
    std::vector<Track> m_tracks;
    std::map<std::string, core::TrackId> m_trackIds;
    std::vector<std::string> m_tensors;
    std::map<std::string, core::TensorId> m_tensorIds;
    std::vector<std::string> m_notes;
    std::uint64_t m_sliceCount = 0, m_collectiveCount = 0, m_transferCount = 0, m_waitCount = 0;
};

} // namespace tests
