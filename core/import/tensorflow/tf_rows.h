#pragma once

#include "core/import/row_cache.h"
#include "core/import/tensorflow/tf_device.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace core {

/// One operator as a timeline of TensorFlow 1 has it.
struct TfSlice
{
    std::int64_t startNs = 0, durationNs = 0;
    std::string_view device; ///< as the source writes it
    std::string_view thread; ///< of a host device
    std::string_view name, op; ///< of the node
    std::string_view args; ///< JSON object text
    std::uint64_t bytes = 0; ///< of a transfer; 0: unknown
    const TransferInfo *transfer = nullptr; ///< for what goes to or comes from another task
};

/// Puts operators into the rows of their devices. Both forms of TensorFlow 1's step statistics, the
/// message and the timeline made of it, have these rows.
class TfRows
{
public:
    /// The sink must outlive the rows. `file`: of diagnostics.
    TfRows(TraceSink &sink, std::string file);

    /// Before the first slice, for every device of the file: rows that repeat a device's streams
    /// are known by the streams.
    void noteDevice(std::string_view name);
    void add(const TfSlice &slice);
    /// The node `to`, an `op`, has `input` ("scope/name:1", "^scope/name") among its inputs.
    void addDependency(WorkerId worker, std::string_view to, std::string_view op,
                       std::string_view input);
    const TfDevice &device(std::string_view name);
    TfTasks &tasks() { return m_tasks; }
    /// Warns of what lies past a bound.
    void countLeftOut(std::string_view code, std::string_view message);

private:
    struct Edge
    {
        std::uint32_t worker = 0, from = 0, to = 0;
        auto operator<=>(const Edge &) const = default;
    };

    TrackId track(const TfSlice &slice, const TfDevice &device, TfDevice::Row row);
    TfDevice::Row rowOf(const TfDevice &device, WorkerId worker) const;

    TraceSink &m_sink;
    std::string m_file;
    TfTasks m_tasks;
    std::size_t m_deviceBytes = 0; ///< of m_devices and the tasks, about
    std::map<std::string, TfDevice, std::less<>> m_devices;
    /// Accelerators, by worker, whose streams have rows of their own.
    std::set<std::pair<std::uint32_t, std::optional<int>>> m_withStreams;
    RowCache m_rows;
    std::set<Edge> m_edges; ///< a node that runs several times has its edges once
};

} // namespace core
