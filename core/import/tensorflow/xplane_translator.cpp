#include "core/import/tensorflow/xplane_translator.h"

#include "core/import/kineto/kineto_collectives.h"
#include "core/import/tensorflow/tf_ops.h"
#include "core/import/text/decimal_time.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::int64_t PicosecondsPerNs = 1000;

    std::int64_t flooredNs(std::int64_t picoseconds)
    {
        const std::int64_t ns = picoseconds / PicosecondsPerNs;
        return picoseconds % PicosecondsPerNs < 0 ? ns - 1 : ns;
    }

    /// Newer profilers subtract the start of the profile from all lines and write it down once.
    std::int64_t startOf(const XLineOutline &line, std::optional<std::int64_t> profileStartNs)
    {
        std::int64_t absoluteNs = line.timestampNs;
        if (profileStartNs && line.timestampNs < *profileStartNs
            && __builtin_add_overflow(line.timestampNs, *profileStartNs, &absoluteNs))
            return line.timestampNs;
        return absoluteNs;
    }

    /// "CollectiveReduce" of "allreduce/CollectiveReduce:CollectiveReduce", as TensorFlow's
    /// executor names what it runs; empty for other names ("std::sort").
    std::string_view hostOperator(std::string_view name)
    {
        const std::size_t colon = name.rfind(':');
        const bool isOperator = colon != std::string_view::npos && colon > 0
            && name[colon - 1] != ':' && name.find(' ') == std::string_view::npos;
        return isOperator ? name.substr(colon + 1) : std::string_view();
    }

    bool hasCommunicationKernels(const XSpaceOutline &outline)
    {
        return std::any_of(
            outline.planes.begin(), outline.planes.end(), [](const XPlaneOutline &plane) {
                return plane.name.starts_with("/device:")
                    && std::any_of(plane.events.begin(), plane.events.end(), [](const auto &event) {
                           return communicationKernel(event.second.name).has_value();
                       });
            });
    }

} // namespace

XPlaneTranslator::XPlaneTranslator(TraceSink &sink, const XSpaceOutline &outline, std::string file)
    : m_sink(sink)
    , m_outline(outline)
    , m_file(std::move(file))
    , m_worker(sink.addWorker())
    , m_steps(sink, m_file)
    , m_hasKernels(hasCommunicationKernels(outline))
{
}

void XPlaneTranslator::read(ProtobufStream &stream)
{
    for (std::size_t plane = 0; plane < m_outline.planes.size() && stream.next();) {
        if (stream.number() == xspace::Planes && stream.isBytes())
            readPlane(stream, m_outline.planes[plane++]);
    }
}

void XPlaneTranslator::readPlane(ProtobufStream &stream, const XPlaneOutline &plane)
{
    std::size_t next = 0;
    stream.enter();
    while (next < plane.lines.size() && stream.next()) {
        if (stream.number() != xplane::Lines || !stream.isBytes())
            continue;
        const XLineOutline &outline = plane.lines[next++];
        const XPlaneRow row = xplaneRow(plane.name, outline.name);
        const bool isSteps = outline.name == "Steps" && row.kind == TrackKind::Annotation;
        Line line { plane,        outline, row, startOf(outline, m_outline.profileStartNs),
                    std::nullopt, isSteps, 0 };
        readLine(stream, line);
        const bool isDevice = plane.name.starts_with("/device:");
        m_counts[isDevice ? plane.name + '/' + outline.name : plane.name] += line.eventCount;
    }
    stream.leave();
}

void XPlaneTranslator::readLine(ProtobufStream &stream, Line &line)
{
    stream.enter();
    while (stream.next()) {
        if (stream.number() != xline::Events || !stream.isBytes())
            continue;
        ++line.eventCount;
        const std::uint64_t offset = stream.fieldOffset();
        if (const auto message = stream.bytes())
            addEvent(*message, offset, line);
        else
            count("huge-event", Severity::Error, offset,
                  "events of more than 16 MiB, or cut off, were left out: the file is damaged, "
                  "copy or record it "
                  "again");
    }
    stream.leave();
}

void XPlaneTranslator::addEvent(std::string_view message, std::uint64_t offset, Line &line)
{
    Event event = decode(message, line.plane);
    event.offset = offset;
    if (event.isDamaged) {
        count("damaged-event", Severity::Error, offset,
              "events that make no sense were left out: the file was damaged, copy it again");
        return;
    }
    if (event.isAggregated) {
        count("aggregated-event", Severity::Info, offset,
              "events that stand for many occurrences have no time and were only counted");
        return;
    }
    if (!setTimes(event, line)) {
        count("bad-time", Severity::Error, offset,
              "events whose time is negative or out of range were left out; record again with a "
              "newer profiler");
        return;
    }
    if (line.row.kind == TrackKind::HostThread && addMemory(event))
        return;
    noteStep(event, line);
    addSlice(event, line);
}

XPlaneTranslator::Event XPlaneTranslator::decode(std::string_view message,
                                                 const XPlaneOutline &plane)
{
    Event event;
    m_stats.clear();
    ProtobufFields field(message);
    while (field.next()) {
        switch (field.number()) {
        case 1:
            event.metadataId = field.integer();
            break;
        case 2:
            event.offsetPs = field.integer();
            break;
        case 3:
            event.durationPs = field.integer();
            break;
        case xstat::OfEvent:
            m_stats.push_back(readStat(field.bytes(), plane));
            break;
        case 5:
            event.isAggregated = true;
            break;
        default:
            break;
        }
    }
    event.isDamaged = field.isMalformed();
    const auto metadata = plane.events.find(event.metadataId);
    if (metadata != plane.events.end()) {
        event.metadata = &metadata->second;
        forEachStat(metadata->second.stats, xstat::OfEventMetadata, plane,
                    [this](const XStat &stat) { m_stats.push_back(stat); });
    }
    return event;
}

/// Start and end are rounded down alike, so that what nests in picoseconds nests in nanoseconds.
bool XPlaneTranslator::setTimes(Event &event, const Line &line)
{
    std::int64_t endPs = 0;
    return event.durationPs >= 0
        && !__builtin_add_overflow(event.offsetPs, event.durationPs, &endPs)
        && !__builtin_add_overflow(line.startNs, flooredNs(event.offsetPs), &event.range.startNs)
        && !__builtin_add_overflow(line.startNs, flooredNs(endPs), &event.range.endNs)
        && event.range.startNs >= 0;
}

/// The allocators' events, which have no duration.
bool XPlaneTranslator::addMemory(const Event &event)
{
    if (event.metadata == nullptr)
        return false;
    const bool isAllocation = event.metadata->name == "MemoryAllocation";
    if (!isAllocation && event.metadata->name != "MemoryDeallocation")
        return false;
    const XStat *const size = findStat(m_stats, "allocation_bytes");
    if (size == nullptr || !size->integer() || *size->integer() < 0)
        return false;
    MemoryEvent memory;
    memory.timeNs = event.range.startNs;
    memory.device = allocatorDevice(text("allocator_name"));
    memory.address = number("addr");
    memory.deltaBytes = isAllocation ? *size->integer() : -*size->integer();
    memory.allocatedBytes = number("bytes_allocated");
    memory.reservedBytes = number("bytes_reserved");
    m_sink.memory(m_worker, memory);
    return true;
}

void XPlaneTranslator::noteStep(const Event &event, const Line &line)
{
    const XStat *const step = findStat(m_stats, "step_num");
    const std::optional<std::int64_t> stated = step != nullptr ? step->integer() : std::nullopt;
    if (line.row.kind == TrackKind::HostThread && stated)
        m_steps.addHostStep(*stated, event.range);
    if (!line.isSteps)
        return;
    std::optional<std::int64_t> number = stated ? stated : integerFrom(text("step_name"));
    if (!number && event.metadata != nullptr)
        number = integerFrom(event.metadata->name);
    if (number)
        m_steps.addDeviceStep(*number, event.range);
}

void XPlaneTranslator::addSlice(const Event &event, Line &line)
{
    if (!line.track) {
        const std::string id = std::to_string(line.outline.id);
        line.track
            = m_sink.track(m_worker, { line.row.kind, line.plane.name, id, line.row.device });
        m_sink.nameTrack(*line.track, line.outline.name);
    }
    SliceRecord record;
    record.startNs = event.range.startNs;
    record.durationNs = event.range.endNs - event.range.startNs;
    record.name = nameOf(event);
    record.category = line.row.category;
    record.correlation = number("correlation_id");
    CollectiveInfo collective;
    if (line.row.kind == TrackKind::HostThread) {
        describeHostEvent(record, collective, event);
    } else if (line.row.kind == TrackKind::Stream && event.metadata != nullptr) {
        const DeviceEventKind activity
            = deviceEventKind({ event.metadata->name, text("hlo_op"), text("memcpy_details"),
                                text("memset_details") });
        record.category = activity.category;
        record.bytes = activity.bytes;
        collective.kind = activity.collective;
    }
    record.collective = collective.kind.empty() ? nullptr : &collective;
    const XStatArgs args = statsAsJson(m_stats);
    if (args.isCut)
        count("args-cut", Severity::Warning, event.offset,
              "events have statistics of more than 256 KiB: those that did not fit are not shown. "
              "If the profiler wrote no such event, the file is damaged: copy it again");
    record.args = args.json;
    m_sink.slice(*line.track, record);
}

void XPlaneTranslator::describeHostEvent(SliceRecord &record, CollectiveInfo &collective,
                                         const Event &event) const
{
    const std::string_view op
        = event.metadata == nullptr ? std::string_view() : hostOperator(event.metadata->name);
    if (const auto kind = m_hasKernels ? std::nullopt : tfCollective(op)) {
        record.category = Category::CommOp;
        collective.kind = *kind;
        return;
    }
    if (record.correlation != 0)
        record.category = Category::Runtime;
    else if (findStat(m_stats, "step_num") != nullptr)
        record.category = Category::UserAnnotation;
    else if (event.metadata != nullptr && event.metadata->name.starts_with('$'))
        record.category = Category::PythonFunction; // as the Python tracer marks them
}

/// TPU operations have their whole instruction as name, and a short one to show.
NameId XPlaneTranslator::nameOf(const Event &event)
{
    if (event.metadata == nullptr) {
        count("unnamed-event", Severity::Warning, event.offset,
              "events of a kind that the file does not name are shown by its number: the file was "
              "cut or damaged, copy it again");
        return m_sink.intern("event kind " + std::to_string(event.metadataId));
    }
    const XEventMetadata &metadata = *event.metadata;
    const bool isInstruction = metadata.name.find(" = ") != std::string::npos;
    return m_sink.intern(isInstruction && !metadata.displayName.empty() ? metadata.displayName
                                                                        : metadata.name);
}

std::uint64_t XPlaneTranslator::number(std::string_view stat) const
{
    const XStat *const found = findStat(m_stats, stat);
    const bool isNumber = found != nullptr
        && (found->kind == XStat::Kind::Unsigned || found->kind == XStat::Kind::Signed);
    return isNumber ? found->natural : 0;
}

std::string_view XPlaneTranslator::text(std::string_view stat) const
{
    const XStat *const found = findStat(m_stats, stat);
    return found != nullptr && found->kind == XStat::Kind::Text ? found->text : std::string_view();
}

void XPlaneTranslator::finish()
{
    for (const auto &[name, eventCount] : m_counts)
        m_sink.countEvents(m_worker, name.empty() ? "plane without a name" : name, eventCount);
    m_steps.give(m_sink, m_worker);
    WorkerInfo info;
    if (!m_outline.hostNames.empty())
        info.host = m_outline.hostNames.front();
    m_sink.describeWorker(m_worker, info);
}

void XPlaneTranslator::count(std::string_view code, Severity severity, std::uint64_t offset,
                             std::string_view message)
{
    m_sink.diagnostics().count(code, severity, { m_file, offset }, message);
}

} // namespace core
