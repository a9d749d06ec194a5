#include "core/import/tf_rows.h"

#include "core/import/tf_ops.h"

namespace core {

namespace {

    constexpr std::size_t MaximumDevices = 100'000;
    constexpr std::size_t MaximumEdges = 4'000'000;
    constexpr std::size_t MaximumTracks = 100'000; ///< the further rows of a device are one

} // namespace

const TfDevice &TfRows::device(std::string_view name)
{
    const auto known = m_devices.find(name);
    if (known != m_devices.end())
        return known->second;
    if (m_devices.size() >= MaximumDevices) {
        static const TfDevice unknown;
        return unknown;
    }
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
    const bool isKnown
        = m_tracks.contains({ std::string(slice.device), std::string(slice.thread) });
    const std::string thread(isKnown || m_tracks.size() < MaximumTracks ? slice.thread : "more");
    const auto [known, isNew]
        = m_tracks.try_emplace({ std::string(slice.device), thread }, TrackId {});
    if (!isNew)
        return known->second;
    const bool isHost = row == TfDevice::Row::Host;
    const TrackKind kind = isHost      ? TrackKind::HostThread
        : row == TfDevice::Row::Stream ? TrackKind::Stream
                                       : TrackKind::Annotation;
    // Kernels of one stream run one after the other, whatever lane they are drawn in.
    const std::string tid = isHost || device.stream.empty() ? thread : device.stream;
    known->second
        = m_sink.track(m_tasks.worker(device),
                       { kind, slice.device, tid, isHost ? std::nullopt : device.accelerator });
    const std::string name(slice.device);
    m_sink.nameTrack(known->second, isHost ? name + " thread " + tid : name);
    return known->second;
}

void TfRows::addDependency(WorkerId worker, std::string_view to, std::string_view op,
                           std::string_view input)
{
    const TfInput from = tfInput(input);
    if (from.node.empty() || from.node == to || isLoopEdge(op, input)
        || m_edges.size() >= MaximumEdges)
        return;
    const Edge edge { worker.value, m_sink.intern(from.node).value, m_sink.intern(to).value };
    if (!m_edges.insert(edge).second)
        return;
    m_sink.dependency(worker,
                      { from.isControl ? DependencyKind::Control : DependencyKind::Data,
                        DependencyKey::Name, edge.from, edge.to });
}

} // namespace core
