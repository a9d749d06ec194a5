#include "collectors/cupti/activity_reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace collectors {

namespace {

    /// The record's beginning, which every supported version has.
    template <class Activity>
    Activity activityAt(const std::uint8_t *data)
    {
        Activity activity;
        std::memcpy(&activity, data, sizeof(activity));
        return activity;
    }

    std::uint64_t numberAt(const std::uint8_t *data, std::size_t offset)
    {
        std::uint64_t number = 0;
        std::memcpy(&number, data + offset, sizeof(number));
        return number;
    }

    /// Of CUpti_ActivityMemcpyKind; arrays are memory of the device.
    std::uint32_t memcpyKindOf(std::uint8_t cuptiKind)
    {
        switch (cuptiKind) {
        case 1:
        case 3:
            return MemcpyHostToDevice;
        case 2:
        case 4:
            return MemcpyDeviceToHost;
        case 5:
        case 6:
        case 7:
        case 8:
            return MemcpyDeviceToDevice;
        case 9:
            return MemcpyHostToHost;
        case 10:
            return MemcpyPeerToPeer;
        default:
            return MemcpyOther;
        }
    }

    /// "cudaLaunchKernel" of "cudaLaunchKernel_ptsz_v7000": the same function in another version.
    std::string_view plainApiName(std::string_view name)
    {
        const std::size_t version = name.rfind("_v");
        if (version != std::string_view::npos && version + 2 < name.size()
            && name.find_first_not_of("0123456789", version + 2) == std::string_view::npos)
            name = name.substr(0, version);
        for (const std::string_view suffix : { "_ptsz", "_ptds" }) {
            if (name.ends_with(suffix))
                name.remove_suffix(suffix.size());
        }
        return name;
    }

    bool isEventSyncId(std::uint64_t id)
    {
        return id != 0 && id != cupti::InvalidStream && id != UINT64_MAX;
    }

} // namespace

ActivityReader::ActivityReader(const CuptiLibrary &library, RecordFile &file, TextIds &ids)
    : m_library(library)
    , m_file(file)
    , m_ids(ids)
    , m_batch(BatchBytes)
    , m_events(EventSlots)
{
}

void ActivityReader::read(std::uint8_t *buffer, std::size_t validBytes)
{
    if (validBytes == 0)
        return;
    std::uint8_t *record = nullptr;
    while (m_library.nextRecord(buffer, validBytes, &record) == cupti::Success) {
        std::uint32_t kind = 0;
        std::memcpy(&kind, record, sizeof(kind));
        readOne(kind, record);
        ++m_recordCount;
    }
}

void ActivityReader::readOne(std::uint32_t kind, const std::uint8_t *data)
{
    switch (kind) {
    case cupti::ActivityKernel:
        return readKernel(data);
    case cupti::ActivityMemcpy:
        return readMemcpy(data);
    case cupti::ActivityMemcpyPeer:
        return readMemcpyPeer(data);
    case cupti::ActivityMemset:
        return readMemset(data);
    case cupti::ActivityRuntime:
    case cupti::ActivityDriver:
        return readApi(data);
    case cupti::ActivitySynchronization:
        return readSynchronization(data);
    case cupti::ActivityCudaEvent:
        return readCudaEvent(data);
    case cupti::ActivityExternalCorrelation:
        return readExternalCorrelation(data);
    case cupti::ActivityGraphTrace:
        return readGraphTrace(data);
    case cupti::ActivityContext:
        return readContext(data);
    default:
        return; // not asked for: another user of CUPTI in this process enabled it
    }
}

void ActivityReader::finishRound()
{
    constexpr int MostRounds = 2;
    for (WaitingSync &sync : m_waiting)
        ++sync.rounds;
    writeResolved();
    const auto isTired = [](const WaitingSync &sync) { return sync.rounds >= MostRounds; };
    for (const WaitingSync &sync : m_waiting) {
        if (isTired(sync))
            put(RecordSync, 0, sync.record);
    }
    std::erase_if(m_waiting, isTired);
    drain();
}

void ActivityReader::finish()
{
    writeResolved();
    for (const WaitingSync &sync : m_waiting)
        put(RecordSync, 0, sync.record);
    m_waiting.clear();
    drain();
}

void ActivityReader::closeWindow(std::int64_t untilNs)
{
    if (!m_windows.empty() && m_windows.back().untilNs == StillOpen)
        m_windows.back().untilNs = untilNs;
    if (m_windows.size() > MostWindows)
        m_windows.pop_front();
}

bool ActivityReader::isInWindow(std::int64_t startNs) const
{
    if (startNs == 0) // its time was lost: whether it counts, nobody knows
        return !m_windows.empty() && m_windows.back().untilNs == StillOpen;
    return std::any_of(m_windows.rbegin(), m_windows.rend(), [startNs](const Window &window) {
        return startNs >= window.fromNs && startNs < window.untilNs;
    });
}

std::int64_t ActivityReader::timeOf(std::uint64_t cuptiNs) const
{
    return cuptiNs == 0 ? 0 : static_cast<std::int64_t>(cuptiNs) - m_clockOffsetNs;
}

template <class Record>
void ActivityReader::put(RecordKind kind, std::uint32_t threadId, const Record &record)
{
    if (m_batchBytes + recordSize(sizeof(record)) > BatchBytes / 2)
        drain();
    m_batchBytes += recordSize(sizeof(record));
    m_batch.push(kind, threadId, record);
}

void ActivityReader::drain()
{
    m_file.drain(m_batch);
    m_batchBytes = 0;
}

std::uint32_t ActivityReader::newText(std::string_view text)
{
    const std::uint32_t id = m_ids.next();
    if (id != 0)
        m_file.writeString(id, text);
    return id;
}

std::uint32_t ActivityReader::kernelName(const char *name)
{
    if (name == nullptr)
        return 0;
    if (m_kernelNames.size() >= MostKernelNames)
        m_kernelNames.clear(); // programs that compile their kernels make new ones without end
    KernelName &known = m_kernelNames[name];
    if (known.id == 0 || known.text != name) {
        known.text = name;
        known.id = newText(known.text);
    }
    return known.id;
}

std::uint32_t ActivityReader::apiName(bool isDriver, std::uint32_t callback)
{
    constexpr std::uint32_t MostCallbacks = 100'000;
    std::vector<std::uint32_t> &names = m_apiNames[isDriver ? 1 : 0];
    if (callback >= MostCallbacks)
        return 0;
    if (callback >= names.size())
        names.resize(callback + 1);
    if (names[callback] == 0) {
        const char *name = nullptr;
        const cupti::Result result = m_library.getCallbackName(
            isDriver ? cupti::DriverApi : cupti::RuntimeApi, callback, &name);
        names[callback] = result == cupti::Success && name != nullptr
            ? newText(plainApiName(name))
            : newText((isDriver ? "driver call " : "runtime call ") + std::to_string(callback));
    }
    return names[callback];
}

void ActivityReader::readKernel(const std::uint8_t *data)
{
    const auto kernel = activityAt<cupti::KernelActivity>(data);
    m_devices[kernel.context] = kernel.device;
    KernelRecord record {};
    record.start = timeOf(kernel.start);
    record.end = timeOf(kernel.end);
    if (!isInWindow(record.start))
        return;
    record.correlation = kernel.correlation;
    record.graphNode = kernel.graphNode;
    record.device = kernel.device;
    record.context = kernel.context;
    record.stream = kernel.stream;
    record.name = kernelName(kernel.name);
    record.graph = kernel.graph;
    for (int i = 0; i < 3; ++i) {
        record.grid[i] = static_cast<std::uint32_t>(kernel.grid[i]);
        record.block[i] = static_cast<std::uint32_t>(kernel.block[i]);
    }
    record.registersPerThread = kernel.registersPerThread;
    record.staticSharedBytes = static_cast<std::uint32_t>(kernel.staticSharedBytes);
    record.dynamicSharedBytes = static_cast<std::uint32_t>(kernel.dynamicSharedBytes);
    put(RecordKernel, 0, record);
}

void ActivityReader::readMemcpy(const std::uint8_t *data)
{
    const auto copy = activityAt<cupti::MemcpyActivity>(data);
    MemcpyRecord record {};
    record.start = timeOf(copy.start);
    record.end = timeOf(copy.end);
    if (!isInWindow(record.start))
        return;
    record.correlation = copy.correlation;
    record.graphNode = copy.graphNode;
    record.bytes = copy.bytes;
    record.device = copy.device;
    record.context = copy.context;
    record.stream = copy.stream;
    record.copyKind = memcpyKindOf(copy.copyKind);
    record.graph = copy.graph;
    put(RecordMemcpy, 0, record);
}

void ActivityReader::readMemcpyPeer(const std::uint8_t *data)
{
    const auto copy = activityAt<cupti::MemcpyPeerActivity>(data);
    MemcpyRecord record {};
    record.start = timeOf(copy.start);
    record.end = timeOf(copy.end);
    if (!isInWindow(record.start))
        return;
    record.correlation = copy.correlation;
    record.graphNode = copy.graphNode;
    record.bytes = copy.bytes;
    record.device = copy.device;
    record.context = copy.context;
    record.stream = copy.stream;
    record.copyKind = MemcpyPeerToPeer;
    record.destinationDevice = copy.destinationDevice;
    record.graph = copy.graph;
    put(RecordMemcpy, 0, record);
}

void ActivityReader::readMemset(const std::uint8_t *data)
{
    const auto set = activityAt<cupti::MemsetActivity>(data);
    const std::int64_t startNs = timeOf(set.start);
    if (isInWindow(startNs))
        put(RecordMemset, 0,
            MemsetRecord { startNs, timeOf(set.end), set.correlation, set.graphNode, set.bytes,
                           set.device, set.context, set.stream, set.value });
}

void ActivityReader::readApi(const std::uint8_t *data)
{
    const auto call = activityAt<cupti::ApiActivity>(data);
    const bool isDriver = call.kind == cupti::ActivityDriver;
    put(RecordApiCall, call.thread,
        ApiCallRecord { timeOf(call.start), timeOf(call.end), call.correlation,
                        apiName(isDriver, call.callback), isDriver ? 1U : 0U,
                        static_cast<std::int32_t>(call.returnValue), 0 });
}

void ActivityReader::readContext(const std::uint8_t *data)
{
    const auto context = activityAt<cupti::ContextActivity>(data);
    m_devices[context.context] = context.device;
}

void ActivityReader::readExternalCorrelation(const std::uint8_t *data)
{
    const auto link = activityAt<cupti::ExternalCorrelationActivity>(data);
    put(RecordExternalCorrelation, 0,
        ExternalCorrelationRecord { link.correlation, link.externalId, link.externalKind, 0 });
}

void ActivityReader::readGraphTrace(const std::uint8_t *data)
{
    const auto launch = activityAt<cupti::GraphTraceActivity>(data);
    const std::int64_t startNs = timeOf(launch.start);
    if (isInWindow(startNs))
        put(RecordGraphLaunch, 0,
            GraphLaunchRecord { startNs, timeOf(launch.end), launch.correlation, launch.device,
                                launch.context, launch.stream, launch.graph });
}

void ActivityReader::readCudaEvent(const std::uint8_t *data)
{
    const auto event = activityAt<cupti::CudaEventActivity>(data);
    if (!m_library.hasEventSyncIds())
        return; // an event is recorded many times: which one is waited for cannot be told
    const std::uint64_t syncId = numberAt(data, cupti::CudaEventEventSyncId);
    if (isEventSyncId(syncId))
        m_events[syncId % EventSlots] = { syncId, event.correlation };
}

std::uint64_t ActivityReader::correlationOfEvent(std::uint64_t syncId) const
{
    const RecordedEvent &event = m_events[syncId % EventSlots];
    return event.syncId == syncId ? event.correlation : 0;
}

void ActivityReader::readSynchronization(const std::uint8_t *data)
{
    const auto sync = activityAt<cupti::SynchronizationActivity>(data);
    if (sync.type < SyncEvent || sync.type > SyncContext)
        return;
    SyncRecord record {};
    record.start = timeOf(sync.start);
    record.end = timeOf(sync.end);
    record.correlation = sync.correlation;
    record.syncKind = sync.type;
    record.context = sync.context;
    const auto device = m_devices.find(sync.context);
    record.device = device != m_devices.end() ? device->second : 0;
    if (sync.stream != cupti::InvalidStream) {
        record.flags = SyncHasStream;
        record.stream = sync.stream;
    }
    record.event = sync.event == cupti::InvalidStream ? 0 : sync.event;
    const std::uint64_t syncId
        = m_library.hasEventSyncIds() ? numberAt(data, cupti::SynchronizationEventSyncId) : 0;
    const bool isOfEvent = sync.type == SyncEvent || sync.type == SyncStreamWaitsForEvent;
    if (!isOfEvent || !isEventSyncId(syncId))
        return put(RecordSync, 0, record);
    record.waitedCorrelation = correlationOfEvent(syncId);
    if (record.waitedCorrelation != 0 || m_waiting.size() >= MostWaiting)
        return put(RecordSync, 0, record);
    m_waiting.push_back({ record, syncId, 0 });
}

/// Events that were recorded by another thread are in a buffer that may come later.
void ActivityReader::writeResolved()
{
    std::vector<WaitingSync> still;
    for (WaitingSync &sync : m_waiting) {
        sync.record.waitedCorrelation = correlationOfEvent(sync.syncId);
        if (sync.record.waitedCorrelation != 0)
            put(RecordSync, 0, sync.record);
        else
            still.push_back(sync);
    }
    m_waiting = std::move(still);
}

} // namespace collectors
