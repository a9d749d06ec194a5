#include "core/import/tensorflow/tf_step_stats.h"

#include "core/base/error.h"
#include "core/import/tensorflow/tf_ops.h"
#include "core/import/tensorflow/xplane_rows.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/decimal_time.h"

#include <nlohmann/json.hpp>

namespace core {

namespace {

    constexpr std::size_t MaximumStepDevices = 100'000;
    constexpr std::size_t MaximumDeviceName = 4096; ///< bytes; longer ones are cut
    constexpr std::size_t DevicesShare = 4; ///< of the memory that their names have
    constexpr std::int64_t NsPerUs = 1000;

    // RunMetadata, StepStats, DeviceStepStats
    constexpr std::uint32_t StepStatsOfRun = 1, GraphsOfRun = 3, DevicesOfStep = 1,
                            NameOfDevice = 1, NodesOfDevice = 2;
    // NodeExecStats, AllocatorMemoryUsed, AllocationRecord
    constexpr std::uint32_t MemoryOfNode = 6, RecordsOfMemory = 6;

    bool isMessage(const ProtobufStream &stream, std::uint32_t number)
    {
        return stream.number() == number && stream.isBytes();
    }

    /// Newer versions write nanoseconds beside the microseconds.
    bool setTimes(TfNodeStats &node, std::int64_t startUs, std::int64_t durationUs)
    {
        std::int64_t endNs = 0;
        return (node.startNs != 0 || !__builtin_mul_overflow(startUs, NsPerUs, &node.startNs))
            && (node.durationNs != 0
                || !__builtin_mul_overflow(durationUs, NsPerUs, &node.durationNs))
            && node.startNs >= 0 && node.durationNs >= 0
            && !__builtin_add_overflow(node.startNs, node.durationNs, &endNs);
    }

    std::string argsOf(std::string_view op, const TfNodeStats &node)
    {
        nlohmann::json args;
        if (!op.empty())
            args["op"] = op;
        if (!node.label.empty())
            args["label"] = node.label;
        return args.is_null() ? std::string() : args.dump();
    }

} // namespace

TfNodeStats readNodeStats(std::string_view message)
{
    TfNodeStats node;
    std::int64_t startUs = 0, durationUs = 0;
    ProtobufFields field(message);
    while (field.next()) {
        switch (field.number()) {
        case 1:
            node.name = cleanText(field.bytes());
            break;
        case 2:
            startUs = field.integer();
            break;
        case 5:
            durationUs = field.integer();
            break;
        case 8:
            node.label = cleanText(field.bytes());
            break;
        case 10:
            node.threadId = field.natural();
            break;
        case 13:
            node.startNs = field.integer();
            break;
        case 16:
            node.durationNs = field.integer();
            break;
        default:
            break;
        }
    }
    node.isValid = setTimes(node, startUs, durationUs) && !field.isMalformed();
    return node;
}

TfStepStats::TfStepStats(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_rows(sink, m_file)
    , m_graphs(m_rows, sink.importerBytes())
{
}

void TfStepStats::readOutline(ProtobufStream &stream, bool isRunMetadata)
{
    if (!isRunMetadata) {
        readDevices(stream);
    } else {
        while (stream.next()) {
            if (isMessage(stream, StepStatsOfRun)) {
                stream.enter();
                readDevices(stream);
                stream.leave();
            } else if (isMessage(stream, GraphsOfRun)) {
                m_graphs.readGraph(stream);
            }
        }
    }
    report(stream);
}

/// Of the StepStats that is open.
void TfStepStats::readDevices(ProtobufStream &stream)
{
    while (stream.next()) {
        if (!isMessage(stream, DevicesOfStep))
            continue;
        if (m_devices.size() >= MaximumStepDevices)
            throw Error("the file has more than 100000 devices: it is no profile, or was damaged. "
                        "Record again",
                        { m_file, stream.fieldOffset() });
        m_devices.emplace_back();
        stream.enter();
        while (stream.next()) {
            const auto name = isMessage(stream, NameOfDevice) ? stream.bytes() : std::nullopt;
            if (!name)
                continue;
            if (m_deviceBytes >= m_sink.importerBytes() / DevicesShare) {
                m_rows.countLeftOut("too-many-devices",
                                    "the names of the devices in the file need more than the "
                                    "import may hold: further ones have none. Import again with a "
                                    "larger --memory-limit (longpole import); or the file is "
                                    "damaged, record again");
                continue;
            }
            m_devices.back() = cleanText(name->substr(0, MaximumDeviceName));
            m_deviceBytes += m_devices.back().size();
            if (name->size() > MaximumDeviceName)
                count("long-device-name", Severity::Info, stream.fieldOffset(),
                      "names of devices longer than 4096 bytes were cut there; devices that differ "
                      "behind that are one. If no device has such a name, the file is damaged: "
                      "record again");
        }
        stream.leave();
        m_rows.noteDevice(m_devices.back());
    }
}

void TfStepStats::readNodes(ProtobufStream &stream, bool isRunMetadata)
{
    if (!isRunMetadata) {
        readNodesOfStep(stream);
        return;
    }
    while (stream.next()) {
        if (!isMessage(stream, StepStatsOfRun))
            continue;
        stream.enter();
        readNodesOfStep(stream);
        stream.leave();
    }
}

void TfStepStats::readNodesOfStep(ProtobufStream &stream)
{
    for (std::size_t next = 0; next < m_devices.size() && stream.next();) {
        if (!isMessage(stream, DevicesOfStep))
            continue;
        stream.enter();
        readNodesOfDevice(stream, m_devices[next++]);
        stream.leave();
    }
}

void TfStepStats::readNodesOfDevice(ProtobufStream &stream, const std::string &device)
{
    std::uint64_t &nodeCount = m_counts[device];
    while (stream.next()) {
        if (!isMessage(stream, NodesOfDevice))
            continue;
        ++nodeCount;
        const std::uint64_t offset = stream.fieldOffset();
        if (const auto message = stream.bytes())
            addNode(*message, offset, device);
        else
            count("huge-event", Severity::Error, offset,
                  "node statistics of more than 16 MiB, or cut off, were left out: the file is "
                  "damaged, "
                  "copy or record it again");
    }
}

void TfStepStats::addNode(std::string_view message, std::uint64_t offset, const std::string &device)
{
    const TfNodeStats node = readNodeStats(message);
    if (!node.isValid) {
        count("damaged-event", Severity::Error, offset,
              "node statistics that make no sense, or whose times are out of range, were left "
              "out: copy the file again, and import it into a new project");
        return;
    }
    const std::string thread = std::to_string(node.threadId);
    TfSlice slice { node.startNs, node.durationNs, device, thread, node.name, {}, {}, 0, nullptr };
    if (m_rows.device(device).row == TfDevice::Row::Host) {
        addHostNode(slice, node);
    } else {
        const std::size_t colon = std::min(node.name.find(':'), node.name.size());
        slice.name = std::string_view(node.name).substr(0, colon);
        slice.op = std::string_view(node.name).substr(std::min(colon + 1, node.name.size()));
        const std::string args = argsOf(slice.op, node);
        slice.args = args;
        m_rows.add(slice);
    }
    addMemory(message, m_rows.tasks().worker(m_rows.device(device)));
}

void TfStepStats::addHostNode(TfSlice slice, const TfNodeStats &node)
{
    if (node.name == "RecvTensor") {
        addReceivedTensor(slice, node);
        return;
    }
    const TfLabel label = tfLabel(node.label);
    slice.op = label.op;
    const std::string args = argsOf(label.op, node);
    slice.args = args;
    const WorkerId worker = m_rows.tasks().worker(m_rows.device(slice.device));
    if (m_graphs.isEmpty()) {
        for (const std::string_view input : label.inputs)
            m_rows.addDependency(worker, node.name, label.op, input);
    }
    TransferInfo transfer;
    const TfPartitionGraphs::Transfer *const known = m_graphs.transferOf(node.name);
    const bool isBetweenTasks = known != nullptr
        && !areOfOneTask(m_rows.device(known->peer), m_rows.device(slice.device));
    if (isBetweenTasks) {
        transfer.isSend = known->isSend;
        transfer.peer = m_rows.tasks().rankOf(m_rows.device(known->peer));
        transfer.transaction = known->tensor;
        slice.transfer = &transfer;
    }
    m_rows.add(slice);
}

/// A tensor that came from another task: "[8B] edge_5_name from /job:ps/... to /job:worker/...".
void TfStepStats::addReceivedTensor(TfSlice slice, const TfNodeStats &node)
{
    constexpr std::string_view From = " from ", To = " to ", Unit = "B]";
    const std::string_view label = node.label;
    const std::size_t from = label.find(From);
    const std::size_t to = label.find(To, std::min(from, label.size()));
    slice.op = node.name;
    const std::string args = argsOf(node.name, node);
    slice.args = args;
    if (from == std::string_view::npos || to == std::string_view::npos) {
        m_rows.add(slice);
        return;
    }
    std::string_view tensor = label.substr(0, from);
    if (tensor.starts_with('[')) {
        const std::size_t unit = std::min(tensor.find(Unit), tensor.size());
        slice.bytes = unsignedFrom(tensor.substr(1, unit - 1)).value_or(0);
        tensor.remove_prefix(std::min(unit + Unit.size(), tensor.size()));
        if (tensor.starts_with(' '))
            tensor.remove_prefix(1);
    }
    const std::string_view sender = label.substr(from + From.size(), to - from - From.size());
    TransferInfo transfer;
    transfer.peer = m_rows.tasks().rankOf(m_rows.device(sender));
    transfer.transaction = tensor;
    slice.name = tensor.empty() ? slice.name : tensor;
    slice.transfer = &transfer;
    m_rows.add(slice);
}

void TfStepStats::addMemory(std::string_view message, WorkerId worker)
{
    for (ProtobufFields field(message); field.next();) {
        if (field.number() != MemoryOfNode || !field.isBytes())
            continue;
        std::optional<int> device;
        for (ProtobufFields used(field.bytes()); used.next();) {
            if (used.number() == 1)
                device = allocatorDevice(used.bytes());
            if (used.number() != RecordsOfMemory || !used.isBytes())
                continue;
            MemoryEvent memory;
            memory.device = device;
            std::int64_t timeUs = 0;
            for (ProtobufFields record(used.bytes()); record.next();) {
                if (record.number() == 1)
                    timeUs = record.integer();
                else if (record.number() == 2)
                    memory.deltaBytes = record.integer();
            }
            if (!__builtin_mul_overflow(timeUs, NsPerUs, &memory.timeNs))
                m_sink.memory(worker, memory);
        }
    }
}

void TfStepStats::finish()
{
    const WorkerId first = m_rows.tasks().worker({});
    for (const auto &[device, nodeCount] : m_counts) {
        const TfDevice &known = m_rows.device(device);
        m_sink.countEvents(device.empty() ? first : m_rows.tasks().worker(known),
                           device.empty() ? "device without a name" : device, nodeCount);
    }
    m_rows.tasks().describeWorkers();
}

void TfStepStats::report(const ProtobufStream &stream)
{
    if (m_graphs.hugeNodeCount() > 0)
        m_sink.diagnostics().add({ "huge-node", Severity::Info, m_graphs.hugeNodeCount(), m_file,
                                   std::nullopt,
                                   "nodes of the graph that hold more than 16 MiB were left out: "
                                   "their dependencies are not known" });
    if (stream.isTruncated())
        m_sink.diagnostics().count(
            "truncated-file", Severity::Error, { m_file, stream.readTo() },
            "the file ends inside a message: what stands before the end "
            "was read. Copy the file again, and import it into a new project");
    if (stream.damageCount() > 0)
        m_sink.diagnostics().add({ "damaged-message", Severity::Error, stream.damageCount(), m_file,
                                   stream.firstDamage(),
                                   "parts of the file make no sense and were left out: it was "
                                   "damaged. Copy it again" });
}

void TfStepStats::count(std::string_view code, Severity severity, std::uint64_t offset,
                        std::string_view message)
{
    m_sink.diagnostics().count(code, severity, { m_file, offset }, message);
}

} // namespace core
