#include "core/import/longpole/longpole_translator.h"

#include "core/base/error.h"
#include "core/import/text/clean_text.h"

#include <algorithm>
#include <limits>

namespace core {

using namespace collectors;

namespace {

    constexpr std::size_t MaximumClockPairs = 100'000;
    constexpr std::size_t MaximumBuckets = 100'000;

    template <std::size_t Size>
    std::string textOf(const char (&text)[Size])
    {
        const char *end = std::find(text, text + Size, '\0');
        return cleanString({ text, static_cast<std::size_t>(end - text) });
    }

    std::optional<int> knownNumber(const FileHeader &header, std::uint32_t flag,
                                   std::uint32_t number)
    {
        constexpr auto Largest = static_cast<std::uint32_t>(std::numeric_limits<int>::max());
        if ((header.flags & flag) == 0 || number > Largest)
            return std::nullopt;
        return static_cast<int>(number);
    }

} // namespace

RecordedTranslator::RecordedTranslator(TraceSink &sink, std::string file,
                                       const RecordedNames &names)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_names(names)
    , m_ranks(sink, m_file, names)
    , m_rows(sink, m_file)
    , m_rounds(sink, m_file)
{
}

const std::array<RecordedTranslator::Kind, 256> &RecordedTranslator::kinds()
{
    static const std::array<Kind, 256> table = [] {
        std::array<Kind, 256> all {};
        all[RecordFileHeader] = { "file_header", &RecordedTranslator::addFileHeader };
        all[RecordClockPair] = { "clock_pair", &RecordedTranslator::addClockPair };
        all[RecordString] = { "string", nullptr };
        all[RecordKernel] = { "kernel", &RecordedTranslator::addKernel };
        all[RecordMemcpy] = { "memcpy", &RecordedTranslator::addMemcpy };
        all[RecordMemset] = { "memset", &RecordedTranslator::addMemset };
        all[RecordApiCall] = { "api_call", &RecordedTranslator::addApiCall };
        all[RecordRange] = { "range", &RecordedTranslator::addRange };
        all[RecordSync] = { "sync", &RecordedTranslator::addSync };
        all[RecordGraphLaunch] = { "graph_launch", &RecordedTranslator::addGraphLaunch };
        all[RecordGraphEdge] = { "graph_edge", nullptr };
        all[RecordGraphNode] = { "graph_node", nullptr };
        all[RecordExternalCorrelation] = { "external_correlation", nullptr };
        all[RecordCommunicator] = { "communicator", nullptr };
        all[RecordCollective] = { "collective", &RecordedTranslator::addCollective };
        all[RecordPointToPoint] = { "point_to_point", &RecordedTranslator::addPointToPoint };
        all[RecordProxyOp] = { "proxy_op", &RecordedTranslator::addProxyOp };
        all[RecordProxyStep] = { "proxy_step", &RecordedTranslator::addProxyStep };
        all[RecordKernelChannel] = { "kernel_channel", &RecordedTranslator::addKernelChannel };
        all[RecordBucket] = { "bucket", &RecordedTranslator::addBucket };
        all[RecordBucketAllReduce]
            = { "bucket_all_reduce", &RecordedTranslator::addBucketAllReduce };
        all[RecordPushPull] = { "push_pull", &RecordedTranslator::addPushPull };
        all[RecordIteration] = { "iteration", &RecordedTranslator::addIteration };
        all[RecordMemory] = { "memory", &RecordedTranslator::addMemory };
        all[RecordDropped] = { "dropped", &RecordedTranslator::addDropped };
        all[RecordEnd] = { "end", &RecordedTranslator::addEnd };
        return all;
    }();
    return table;
}

void RecordedTranslator::add(const RecordView &record)
{
    ++m_counts[record.header.kind];
    const Kind &kind = kinds()[record.header.kind];
    if (kind.handler != nullptr)
        (this->*kind.handler)(record);
    else if (kind.name == nullptr)
        m_sink.diagnostics().countLost(
            "unknown-record", Severity::Warning, { m_file, record.offset },
            "records of kinds that this version does not know were only counted: the collector "
            "is newer. Import with its version of Longpole");
}

void RecordedTranslator::addFileHeader(const RecordView &record)
{
    const auto header = record.as<FileHeader>();
    if (header.majorVersion != LONGPOLE_MAJOR_VERSION)
        throw Error("the recording has format version " + std::to_string(header.majorVersion)
                        + ", this Longpole reads version " + std::to_string(LONGPOLE_MAJOR_VERSION)
                        + ". Import with the version of Longpole that recorded it",
                    { m_file, record.offset });
    m_hasHeader = true;
    WorkerInfo info;
    info.rank = knownNumber(header, FileHasRank, header.rank);
    info.worldSize = knownNumber(header, FileHasWorldSize, header.worldSize);
    info.host = textOf(header.hostName);
    m_process = std::to_string(header.processId);
    m_ranks.setProcess(info, m_process);
}

void RecordedTranslator::addClockPair(const RecordView &record)
{
    if (m_clockCount++ >= MaximumClockPairs)
        return m_sink.diagnostics().countLost(
            "too-many-clock-pairs", Severity::Warning, { m_file, record.offset },
            "more than 100000 clock pairs; further ones were left out. The file is "
            "damaged, record again");
    const auto pair = record.as<ClockPair>();
    m_clocks += (m_clocks.empty() ? "[" : ",[") + std::to_string(pair.clockA) + ','
        + std::to_string(pair.timeA) + ',' + std::to_string(pair.clockB) + ','
        + std::to_string(pair.timeB) + ',' + std::to_string(pair.device) + ','
        + std::to_string(pair.uncertaintyNs) + ']';
}

void RecordedTranslator::addBucket(const RecordView &record)
{
    const auto bucket = record.as<BucketRecord>();
    if (m_buckets.size() >= MaximumBuckets && !m_buckets.contains(bucket.index))
        return count(record, "too-many-buckets", Severity::Error,
                     "more than 100000 buckets; further ones were left out. The file is damaged, "
                     "record again");
    std::vector<TensorId> &tensors = m_buckets[bucket.index];
    tensors.clear();
    std::span<const std::byte> rest = record.after<BucketRecord>();
    for (std::uint32_t i = 0; i < bucket.parameterCount; ++i) {
        BucketParameter parameter {};
        if (rest.size() < sizeof(parameter))
            break;
        std::memcpy(&parameter, rest.data(), sizeof(parameter));
        rest = rest.subspan(sizeof(parameter));
        TensorRecord tensor;
        tensor.name = m_names.text(parameter.name);
        tensor.bytes = parameter.bytes;
        tensor.dtype = m_names.text(bucket.datatype);
        tensors.push_back(m_sink.tensor(m_ranks.own(), tensor));
    }
}

void RecordedTranslator::addBucketAllReduce(const RecordView &record)
{
    const auto bucket = record.as<BucketAllReduceRecord>();
    CollectiveInfo info;
    info.kind = "all_reduce";
    info.group = "bucket"; // the backend's own operation lies inside of it
    const auto tensors = m_buckets.find(bucket.index);
    if (tensors != m_buckets.end())
        info.tensors = tensors->second;
    SliceRecord slice;
    slice.category = Category::CommOp;
    slice.bytes = bucket.bytes;
    slice.collective = &info;
    store(record, { TrackKind::Communication, m_process, "buckets", "gradient buckets" },
          "allreduce bucket=" + std::to_string(bucket.index), bucket.start, bucket.end, slice);
}

void RecordedTranslator::addPushPull(const RecordView &record)
{
    const auto transfer = record.as<PushPullRecord>();
    const bool isPush = transfer.isPush != 0;
    const std::string &tensor = m_names.text(transfer.tensor);
    const std::string way
        = tensor + "/key " + std::to_string(transfer.key) + (isPush ? "/push" : "/pull");
    const auto round = m_rounds.next(way);
    const std::string transaction = way + "/round " + std::to_string(round.value_or(0));
    TransferInfo info;
    info.isSend = isPush;
    info.transaction = transaction;
    SliceRecord slice;
    slice.category = Category::CommOp;
    slice.bytes = transfer.bytes;
    slice.transfer = round ? &info : nullptr;
    store(record,
          { TrackKind::Communication, m_process, isPush ? "push" : "pull",
            isPush ? "push to servers" : "pull from servers" },
          (isPush ? "PUSH " : "PULL ") + tensor, transfer.start, transfer.end, slice);
}

void RecordedTranslator::addIteration(const RecordView &record)
{
    const auto iteration = record.as<IterationRecord>();
    constexpr auto Largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (iteration.end < iteration.start || iteration.index > Largest)
        return count(record, "bad-time", Severity::Error,
                     "iterations that end before they begin were left out: the file is damaged, "
                     "copy it again");
    m_sink.iteration(m_ranks.own(), static_cast<std::int64_t>(iteration.index),
                     { iteration.start, iteration.end });
}

void RecordedTranslator::addMemory(const RecordView &record)
{
    const auto memory = record.as<MemoryRecord>();
    MemoryEvent event;
    event.timeNs = memory.time;
    if ((memory.flags & MemoryOnDevice) != 0)
        event.device = static_cast<int>(memory.device & 0xFFFFU);
    event.address = memory.address;
    event.deltaBytes = memory.deltaBytes;
    event.allocatedBytes = memory.allocatedBytes;
    event.reservedBytes = memory.reservedBytes;
    m_sink.memory(m_ranks.own(), event);
}

void RecordedTranslator::addDropped(const RecordView &record)
{
    m_sink.diagnostics().add(
        { "dropped-records", Severity::Error, record.as<DroppedRecord>().count, m_file,
          record.offset,
          "records were dropped while recording, since they came faster than they could be "
          "written. Record to a faster disk, fewer kinds of events, or fewer iterations" });
}

void RecordedTranslator::addEnd(const RecordView &)
{
    m_hasEnd = true;
}

void RecordedTranslator::store(const RecordView &record, const Row &row, std::string_view name,
                               std::int64_t startNs, std::int64_t endNs, SliceRecord slice)
{
    if (startNs == 0 && endNs == 0)
        return m_sink.diagnostics().countLost(
            "lost-time", Severity::Warning, { m_file, record.offset },
            "records whose times the driver lost were only counted: its buffers were "
            "full. Record fewer iterations");
    if (endNs == 0)
        return m_sink.diagnostics().countLost(
            "no-end", Severity::Warning, { m_file, record.offset },
            "records whose end was never reported (network operations of CollNet and of "
            "copy engines, channels of kernels that still ran) were only counted");
    std::int64_t durationNs = 0;
    if (startNs < 0 || __builtin_sub_overflow(endNs, startNs, &durationNs) || durationNs < 0)
        return count(
            record, "bad-time", Severity::Error,
            "records that end before they begin were left out. Record with a newer version "
            "of the collector");
    slice.startNs = startNs;
    slice.durationNs = durationNs;
    slice.name = m_sink.intern(name);
    const TrackId track = m_rows.row(row.worker ? *row.worker : m_ranks.own(),
                                     { row.kind, row.process, row.thread, row.device }, row.name);
    m_sink.slice(track, slice);
}

void RecordedTranslator::count(const RecordView &record, std::string_view code, Severity severity,
                               std::string_view message)
{
    m_sink.diagnostics().count(code, severity, { m_file, record.offset }, message);
}

void RecordedTranslator::finish()
{
    for (std::size_t kind = 0; kind < m_counts.size(); ++kind) {
        if (m_counts[kind] == 0)
            continue;
        const char *name = kinds()[kind].name;
        m_sink.countEvents(m_ranks.own(), name != nullptr ? name : "kind " + std::to_string(kind),
                           m_counts[kind]);
    }
    m_ranks.describe();
    if (!m_clocks.empty())
        m_sink.metadata("clocks", "[" + m_clocks + "]");
    if (!m_hasHeader)
        m_sink.diagnostics().count("no-file-header", Severity::Error, { m_file, {} },
                                   "the file's header is damaged: the rank is taken from the "
                                   "file's name or must be given");
    if (!m_hasEnd)
        m_sink.diagnostics().count("not-closed", Severity::Info, { m_file, {} },
                                   "the recording was not closed: the process was killed. What "
                                   "it recorded in its last second may be missing");
}

} // namespace core
