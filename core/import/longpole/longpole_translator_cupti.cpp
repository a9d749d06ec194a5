#include "core/import/kineto/kineto_collectives.h"
#include "core/import/longpole/longpole_translator.h"

// The records of the CUPTI collector.
namespace core {

using namespace collectors;

namespace {

    const char *memcpyName(std::uint32_t kind)
    {
        switch (kind) {
        case MemcpyHostToDevice:
            return "Memcpy HtoD";
        case MemcpyDeviceToHost:
            return "Memcpy DtoH";
        case MemcpyDeviceToDevice:
            return "Memcpy DtoD";
        case MemcpyPeerToPeer:
            return "Memcpy PtoP";
        case MemcpyHostToHost:
            return "Memcpy HtoH";
        default:
            return "Memcpy";
        }
    }

    const char *syncName(std::uint32_t kind)
    {
        switch (kind) {
        case SyncEvent:
            return "Event Sync";
        case SyncStreamWaitsForEvent:
            return "Stream Wait Event";
        case SyncStream:
            return "Stream Sync";
        default:
            return "Context Sync";
        }
    }

} // namespace

RecordedTranslator::Row RecordedTranslator::streamRow(std::uint32_t device,
                                                      std::uint32_t stream) const
{
    return { TrackKind::Stream, std::to_string(device), std::to_string(stream),
             "stream " + std::to_string(stream), static_cast<int>(device & 0xFFFFU) };
}

RecordedTranslator::Row RecordedTranslator::threadRow(std::uint32_t thread) const
{
    return { TrackKind::HostThread, m_process, std::to_string(thread),
             "thread " + std::to_string(thread) };
}

void RecordedTranslator::addKernel(const RecordView &record)
{
    const auto kernel = record.as<KernelRecord>();
    const std::string &name = m_names.text(kernel.name);
    SliceRecord slice;
    slice.category = communicationKernel(name) ? Category::CommKernel : Category::Kernel;
    slice.correlation = kernel.correlation;
    slice.externalId = m_names.externalId(kernel.correlation);
    const auto three = [](const std::uint32_t(&sizes)[3]) {
        return '[' + std::to_string(sizes[0]) + ',' + std::to_string(sizes[1]) + ','
            + std::to_string(sizes[2]) + ']';
    };
    const std::string args = "{\"grid\":" + three(kernel.grid) + ",\"block\":" + three(kernel.block)
        + ",\"registers per thread\":" + std::to_string(kernel.registersPerThread)
        + ",\"shared memory\":"
        + std::to_string(std::uint64_t { kernel.staticSharedBytes } + kernel.dynamicSharedBytes)
        + ",\"graph\":" + std::to_string(kernel.graph)
        + ",\"graph node\":" + std::to_string(kernel.graphNode) + '}';
    slice.args = args;
    store(record, streamRow(kernel.device, kernel.stream), name, kernel.start, kernel.end, slice);
}

void RecordedTranslator::addMemcpy(const RecordView &record)
{
    const auto copy = record.as<MemcpyRecord>();
    SliceRecord slice;
    slice.category = Category::Memcpy;
    slice.correlation = copy.correlation;
    slice.externalId = m_names.externalId(copy.correlation);
    slice.bytes = copy.bytes;
    store(record, streamRow(copy.device, copy.stream), memcpyName(copy.copyKind), copy.start,
          copy.end, slice);
}

void RecordedTranslator::addMemset(const RecordView &record)
{
    const auto set = record.as<MemsetRecord>();
    SliceRecord slice;
    slice.category = Category::Memset;
    slice.correlation = set.correlation;
    slice.externalId = m_names.externalId(set.correlation);
    slice.bytes = set.bytes;
    store(record, streamRow(set.device, set.stream), "Memset", set.start, set.end, slice);
}

void RecordedTranslator::addApiCall(const RecordView &record)
{
    const auto call = record.as<ApiCallRecord>();
    SliceRecord slice;
    slice.category = Category::Runtime;
    slice.correlation = call.correlation;
    slice.externalId = m_names.externalId(call.correlation);
    std::string args;
    if (call.returnValue != 0)
        args = "{\"return value\":" + std::to_string(call.returnValue) + '}';
    slice.args = args;
    store(record, threadRow(record.header.threadId), m_names.text(call.name), call.start, call.end,
          slice);
}

void RecordedTranslator::addRange(const RecordView &record)
{
    const auto range = record.as<RangeRecord>();
    SliceRecord slice;
    slice.category = Category::UserAnnotation;
    store(record, threadRow(record.header.threadId), m_names.text(range.name), range.start,
          range.end, slice);
}

void RecordedTranslator::addSync(const RecordView &record)
{
    const auto sync = record.as<SyncRecord>();
    const bool hasStream = (sync.flags & SyncHasStream) != 0;
    SyncInfo info;
    if (sync.waitedCorrelation != 0)
        info.waitOnCorrelation = sync.waitedCorrelation;
    if (hasStream && sync.syncKind == SyncStreamWaitsForEvent)
        info.stream = sync.stream;
    if (hasStream && sync.syncKind == SyncStream)
        info.waitOnStream = sync.stream;
    SliceRecord slice;
    slice.category = Category::Sync;
    slice.correlation = sync.correlation;
    slice.externalId = m_names.externalId(sync.correlation);
    slice.sync = &info;
    Row row = streamRow(sync.device, sync.stream);
    row.kind = TrackKind::StreamSync;
    row.thread = hasStream ? row.thread : "all";
    row.name = (hasStream ? row.name : "all streams") + " (sync)";
    store(record, row, syncName(sync.syncKind), sync.start, sync.end, slice);
}

void RecordedTranslator::addGraphLaunch(const RecordView &record)
{
    const auto launch = record.as<GraphLaunchRecord>();
    SliceRecord slice;
    slice.category = Category::Kernel;
    slice.correlation = launch.correlation;
    slice.externalId = m_names.externalId(launch.correlation);
    store(record, streamRow(launch.device, launch.stream),
          "CUDA graph " + std::to_string(launch.graph), launch.start, launch.end, slice);
}

} // namespace core
