#include "core/import/tensorflow/tf_rows.h"

#include "core/import/tensorflow/tf_ops.h"

#include <algorithm>

namespace core {

namespace {

    // Whatever the memory.
    constexpr std::size_t MaximumDevices = 100'000;
    constexpr std::size_t MaximumEdges = 4'000'000;
    // About what each takes in its table; a device with its task, and besides its name.
    constexpr std::size_t BytesPerDevice = 512, BytesPerEdge = 64;
    constexpr std::size_t RowsShare = 4; ///< of the memory that each has; graphs have the rest

} // namespace

TfRows::TfRows(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_tasks(sink)
    , m_rows(sink, m_file)
{
}

void TfRows::countLeftOut(std::string_view code, std::string_view message)
{
    m_sink.diagnostics().count(code, Severity::Warning, { m_file, {} }, message);
}

const TfDevice &TfRows::device(std::string_view name)
{
    const auto known = m_devices.find(name);
    if (known != m_devices.end())
        return known->second;
    const std::size_t size = BytesPerDevice + 3 * name.size(); // its parts, and the task's name
    if (m_devices.size() >= MaximumDevices
        || m_deviceBytes + size > m_sink.importerBytes() / RowsShare) {
        countLeftOut("too-many-devices",
                     "more devices in one file than the import may hold: it is damaged, or the "
                     "limit is small. What ran on the further ones was put to the host of the "
                     "first task. Record again, or import again with a larger --memory-limit "
                     "(longpole import)");
        static const TfDevice unknown;
        return unknown;
    }
    m_deviceBytes += size;
    return m_devices.emplace(std::string(name), tfDevice(name)).first->second;
}

void TfRows::noteDevice(std::string_view name)
{
    const TfDevice &noted = device(name);
    const WorkerId worker = m_tasks.worker(noted);
    if (noted.row == TfDevice::Row::Stream)
        m_withStreams.emplace(worker.value, noted.accelerator);
}

/// Without rows of single streams the collected ones are all that there is.
TfDevice::Row TfRows::rowOf(const TfDevice &device, WorkerId worker) const
{
    const bool isOnlyRow = device.row == TfDevice::Row::Collected
        && m_withStreams.count({ worker.value, device.accelerator }) == 0;
    return isOnlyRow ? TfDevice::Row::Stream : device.row;
}

void TfRows::add(const TfSlice &slice)
{
    const TfDevice &noted = device(slice.device);
    const TfDevice::Row row = rowOf(noted, m_tasks.worker(noted));
    SliceRecord record;
    record.startNs = slice.startNs;
    record.durationNs = slice.durationNs;
    record.name = m_sink.intern(slice.name);
    record.category = slice.transfer != nullptr ? Category::CommOp : tfCategory(row, slice.op);
    record.bytes = slice.bytes;
    record.args = slice.args;
    record.transfer = slice.transfer;
    CollectiveInfo collective;
    if (slice.transfer == nullptr && isCommunication(record.category)) {
        collective.kind = tfCollective(slice.op).value_or("other");
        record.collective = &collective;
    }
    m_sink.slice(track(slice, noted, row), record);
}

TrackId TfRows::track(const TfSlice &slice, const TfDevice &device, TfDevice::Row row)
{
    const bool isHost = row == TfDevice::Row::Host;
    const TrackKind kind = isHost      ? TrackKind::HostThread
        : row == TfDevice::Row::Stream ? TrackKind::Stream
                                       : TrackKind::Annotation;
    // Kernels of one stream run one after the other, whatever lane they are drawn in.
    const std::string tid(isHost || device.stream.empty() ? slice.thread : device.stream);
    const std::string name(slice.device);
    return m_rows.row(m_tasks.worker(device),
                      { kind, slice.device, tid, isHost ? std::nullopt : device.accelerator },
                      isHost ? name + " thread " + tid : name);
}

void TfRows::addDependency(WorkerId worker, std::string_view to, std::string_view op,
                           std::string_view input)
{
    const TfInput from = tfInput(input);
    if (from.node.empty() || from.node == to || isLoopEdge(op, input))
        return;
    const Edge edge { worker.value, m_sink.intern(from.node).value, m_sink.intern(to).value };
    if (m_edges.contains(edge))
        return;
    if (m_edges.size()
        >= std::min(MaximumEdges, m_sink.importerBytes() / RowsShare / BytesPerEdge)) {
        countLeftOut("too-many-dependencies",
                     "more dependencies between operators in one file than the import may hold: "
                     "the further ones were left out. Import again with a larger --memory-limit "
                     "(longpole import), "
                     "or record fewer sessions");
        return;
    }
    m_edges.insert(edge);
    m_sink.dependency(worker,
                      { from.isControl ? DependencyKind::Control : DependencyKind::Data,
                        DependencyKey::Name, edge.from, edge.to });
}

} // namespace core
