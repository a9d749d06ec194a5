#pragma once

#include "core/import/chrome/chrome_slices.h"
#include "core/import/row_cache.h"
#include "core/import/step_ranges.h"
#include "core/model/rounds.h"
#include "core/model/trace_sink.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace core {

/// The ops of one rank as MXNet's profiler, TensorFlow's timeline and dPRO's recorder write them:
/// rows are threads of devices that `process_name` names ("gpu/0", "/device:GPU:0 Compute").
///
/// Ops of a GPU are kernels; what the profiler derives from them (rows of single streams, other
/// threads than "TensorFlow Ops") are annotations. Everything else are host threads: ops, and calls
/// of the framework's API.
class FrameworkOps : public ChromeSliceConsumer
{
public:
    /// `file`: of diagnostics. The sink must outlive the object.
    FrameworkOps(TraceSink &sink, WorkerId worker, std::string file)
        : m_sink(sink)
        , m_worker(worker)
        , m_tracks(sink, file)
        , m_stepRoom(sink, std::move(file))
        , m_steps(m_stepRoom)
    {
    }
    FrameworkOps(const FrameworkOps &) = delete;
    FrameworkOps &operator=(const FrameworkOps &) = delete;

    void addMetadata(std::string_view name, std::string_view pid, std::string_view tid,
                     std::string_view args) override;
    void addSlice(const ChromeSlice &slice) override;
    bool wantsCounters(std::string_view category) const override { return category == "memory"; }
    /// MXNet's memory in use ("Memory: gpu/0").
    void addCounter(std::string_view name, std::string_view args, std::int64_t timeNs) override;
    /// After the last event: counts, and iterations by the steps that ops name, else by how often
    /// ops repeat.
    void finish(const ChromeSlices::Counts &counts);

private:
    using Row = std::pair<std::string, std::string>; ///< (pid, tid)
    struct RowMeaning
    {
        TrackKind kind = TrackKind::HostThread;
        std::optional<int> device;
    };

    RowMeaning meaningOf(const Row &row, const ChromeSlice &slice) const;
    TrackId trackOf(const Row &row, const RowMeaning &meaning);
    void addRun(std::string_view name, TimeRange range);

    TraceSink &m_sink;
    WorkerId m_worker;
    std::map<std::string, std::string, std::less<>> m_processes; ///< names by pid
    std::map<Row, std::string> m_threads; ///< names
    RowCache m_tracks;
    StepRoom m_stepRoom;
    StepRanges m_steps;
    Rounds m_rounds;
    std::map<std::string, std::int64_t, std::less<>> m_poolBytes; ///< in use, by "gpu/0"
    std::map<std::optional<int>, std::int64_t> m_deviceBytes; ///< of all pools of a device
    std::size_t m_runs = 0; ///< in m_rounds
    bool m_hasSteps = false;
};

} // namespace core
