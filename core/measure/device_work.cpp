#include "core/measure/device_work.h"

#include <algorithm>
#include <map>
#include <set>

namespace core {

namespace {

    std::set<WorkerId> workersWithAccelerator(const Trace &trace)
    {
        std::set<WorkerId> workers;
        for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
            const auto &categories = trace.slices[t].category;
            if (std::any_of(categories.begin(), categories.end(), isDeviceActivity))
                workers.insert(trace.tracks[t].worker);
        }
        return workers;
    }

    bool isBackendRecord(const Trace &trace, NameId name)
    {
        return trace.nameOf(name).starts_with("gloo:");
    }

    std::set<WorkerId> workersWithBackendRecords(const Trace &trace)
    {
        std::set<WorkerId> workers;
        for (std::size_t t = 0; t < trace.tracks.size(); ++t)
            for (std::size_t row = 0; row < trace.slices[t].size(); ++row)
                if (trace.slices[t].category[row] == Category::CommOp
                    && isBackendRecord(trace, trace.slices[t].name[row]))
                    workers.insert(trace.tracks[t].worker);
        return workers;
    }

    std::set<WorkerId> workersWithCommKernels(const Trace &trace)
    {
        std::set<WorkerId> workers;
        for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
            const auto &categories = trace.slices[t].category;
            if (std::find(categories.begin(), categories.end(), Category::CommKernel)
                != categories.end())
                workers.insert(trace.tracks[t].worker);
        }
        return workers;
    }

    /// The lowest device of each worker that has streams with activity.
    std::map<WorkerId, int> firstDevicesOf(const Trace &trace)
    {
        std::map<WorkerId, int> first;
        for (const Track &track : trace.tracks) {
            if (track.kind != TrackKind::Stream)
                continue;
            const int device = track.device.value_or(0);
            const auto [known, isNew] = first.emplace(track.worker, device);
            known->second = std::min(known->second, device);
        }
        return first;
    }

    /// Exchange messages and run no operation of a framework.
    std::set<WorkerId> messageServers(const Trace &trace)
    {
        std::set<WorkerId> servers;
        for (const TransferCall &transfer : trace.transfers)
            servers.insert(transfer.worker);
        for (std::size_t t = 0; t < trace.tracks.size() && !servers.empty(); ++t) {
            const auto &categories = trace.slices[t].category;
            if (std::find(categories.begin(), categories.end(), Category::CpuOp)
                != categories.end())
                servers.erase(trace.tracks[t].worker);
        }
        return servers;
    }

    /// "UPDATE fc.weight", of a tensor that is transferred.
    std::unordered_set<NameId> updateNames(const Trace &trace)
    {
        std::unordered_set<std::string_view> tensors;
        for (const TransferCall &transfer : trace.transfers)
            tensors.insert(transfer.transaction);
        std::unordered_set<NameId> names;
        for (std::uint32_t i = 0; i < trace.names.size() && !tensors.empty(); ++i) {
            const std::string_view name = trace.names[i];
            const auto space = name.find(' ');
            if (space != std::string_view::npos && tensors.contains(name.substr(space + 1)))
                names.insert(NameId(i));
        }
        return names;
    }

    std::optional<DeviceWorkKind> kindOnStream(Category category)
    {
        if (!isDeviceActivity(category))
            return std::nullopt;
        return category == Category::CommKernel ? DeviceWorkKind::Communication
            : category == Category::Kernel      ? DeviceWorkKind::Compute
                                                : DeviceWorkKind::Copy;
    }

} // namespace

std::string_view deviceWorkName(DeviceWorkKind kind)
{
    switch (kind) {
    case DeviceWorkKind::Compute:
        return "compute";
    case DeviceWorkKind::Communication:
        return "comm";
    case DeviceWorkKind::Copy:
        break;
    }
    return "copy";
}

DeviceWork::DeviceWork(const Trace &trace)
    : m_trace(trace)
    , m_rows(trace.tracks.size())
{
    const std::set<WorkerId> accelerated = workersWithAccelerator(trace);
    const std::set<WorkerId> recorded = workersWithBackendRecords(trace);
    const std::set<WorkerId> withCommKernels = workersWithCommKernels(trace);
    const std::map<WorkerId, int> firstDevices = firstDevicesOf(trace);
    const std::set<WorkerId> servers = messageServers(trace);
    if (!servers.empty())
        m_updates = updateNames(trace);
    for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (!accelerated.contains(track.worker)) {
            m_rows[t] = { Place {},
                          recorded.contains(track.worker)      ? Source::Backend
                              : servers.contains(track.worker) ? Source::Server
                                                               : Source::Cpu };
        } else if (track.kind == TrackKind::Stream) {
            m_rows[t] = { Place { track.device.value_or(0) }, Source::Stream };
        } else if (track.kind == TrackKind::Communication
                   && !withCommKernels.contains(track.worker)) {
            const auto first = firstDevices.find(track.worker);
            const int device = first == firstDevices.end() ? 0 : first->second;
            m_rows[t] = { Place { track.device.value_or(device) }, Source::Communication };
        }
        if (track.kind == TrackKind::Annotation) // profiler spans last longer than the work
            m_rows[t].place.reset();
    }
}

std::optional<DeviceWorkKind> DeviceWork::kindOf(std::size_t track, std::size_t row) const
{
    const Row &own = m_rows[track];
    if (!own.place)
        return std::nullopt;
    const SliceColumns &slices = m_trace.slices[track];
    const Category category = slices.category[row];
    if (own.source == Source::Stream)
        return kindOnStream(category);
    if (category == Category::CpuOp && own.source != Source::Communication)
        return DeviceWorkKind::Compute;
    if (category == Category::UserAnnotation && own.source == Source::Server
        && m_updates.contains(slices.name[row]))
        return DeviceWorkKind::Compute;
    if (category == Category::CommOp
        && (own.source != Source::Backend || isBackendRecord(m_trace, slices.name[row])))
        return DeviceWorkKind::Communication;
    return std::nullopt;
}

} // namespace core
