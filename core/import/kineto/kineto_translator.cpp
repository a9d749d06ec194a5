#include "core/import/kineto/kineto_translator.h"

#include "core/base/saturated_time.h"
#include "core/import/chrome/chrome_repairs.h"
#include "core/import/held_share.h"
#include "core/import/kineto/kineto_details.h"
#include "core/import/kineto/kineto_memory.h"
#include "core/import/longpole/longpole_messages.h"
#include "core/import/not_shown.h"
#include "core/import/process_from_name.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/decimal_time.h"
#include "core/model/metadata_keys.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MaximumOpenSlices = 1'000'000;

    /// The profiler's own marks of where it began and ended, which every trace has.
    bool isRecordingMark(const ChromeEvent &event)
    {
        return event.name == "Record Window End"
            || event.name.starts_with("Iteration Start: PyTorch Profiler");
    }

} // namespace

KinetoTranslator::KinetoTranslator(TraceSink &sink, KinetoClock &clock, std::string file)
    : m_sink(sink)
    , m_clock(clock)
    , m_file(std::move(file))
    , m_ranks(sink)
    , m_transfers(2 * heldShare(sink))
    , m_calls(heldShare(sink))
{
}

void KinetoTranslator::addEvent(const ChromeEvent &event, std::string_view text,
                                std::uint64_t offset)
{
    if (event.phase == 'M' && event.name == "process_labels")
        noteLabel(event, offset); // first: this record counts for that rank too
    countRepairs(event, m_file, offset, m_sink.diagnostics());
    KinetoRank &rank = m_ranks.of(event.pid);
    KinetoCategoryCount &category = rank.categoryOf(event);
    ++category.count;
    if ((event.phase == 'X' || event.phase == 'B') && m_ranks.lacksLabel(event.pid))
        count("no-rank-label", Severity::Warning, offset,
              "slices of processes that no label gives a rank, though labels name ranks, were "
              "taken for slices of the first rank. Write a label (\"process_labels\", \"rank N\") "
              "for every process");
    switch (event.phase) {
    case 'X':
        addNamed(event, category.kind, text, offset);
        break;
    case 'B':
        beginSlice(event, text, offset);
        break;
    case 'E':
        endSlice(event, offset);
        break;
    case 'M':
        m_processes.note(event);
        if (event.name == "thread_name"
            && !rank.tracks().noteThreadName(event.pid, event.tid, event.args.name))
            count("too-many-thread-names", Severity::Info, offset,
                  "names of more than 65536 threads, or more than the import may hold: the further "
                  "rows are named by their numbers. If that many threads never ran, the file is "
                  "damaged: record again; else import again with a larger --memory-limit (longpole "
                  "import)");
        break;
    case 'i':
    case 'I':
        if (event.name == KinetoMemoryName)
            addMemory(event, offset);
        else if (!isRecordingMark(event))
            countNotShown(event.phase, { m_file, offset }, m_sink.diagnostics());
        break;
    case '\0':
        m_sink.diagnostics().countLost("event-without-phase", Severity::Warning, { m_file, offset },
                                       "an event has no \"ph\" and was only counted; record "
                                       "again if there are many");
        break;
    default:
        if (!countNotShown(event.phase, { m_file, offset }, m_sink.diagnostics()))
            m_sink.diagnostics().countLost(
                "unknown-phase", Severity::Warning, { m_file, offset },
                "an event has a \"ph\" that the trace-event format does not define and was only "
                "counted; record again if there are many");
    }
}

void KinetoTranslator::addNamed(const ChromeEvent &event, const KinetoCategory &kind,
                                std::string_view text, std::uint64_t offset)
{
    if (event.hasCategory || !m_processes.hasNames()) {
        m_processes.countSlice(event, kind);
        addComplete(event, kind, text, offset);
        return;
    }
    ChromeEvent adapted = event;
    const KinetoCategory found = m_processes.adapt(adapted, kind);
    m_processes.countSlice(event, found);
    addComplete(adapted, found, text, offset);
}

void KinetoTranslator::addOther(std::uint64_t offset)
{
    ++m_ranks.own().categoryNamed("none").count;
    m_sink.diagnostics().countLost(
        "not-an-event", Severity::Warning, { m_file, offset },
        "an element of traceEvents is not an object and was only counted: the file is "
        "damaged there, record again if there are many");
}

void KinetoTranslator::addComplete(const ChromeEvent &event, const KinetoCategory &kind,
                                   std::string_view text, std::uint64_t offset)
{
    const std::optional<std::int64_t> startNs = timeOf(event.timestamp);
    const std::optional<std::int64_t> durationNs = nanosecondsFromMicroseconds(event.duration);
    if (startNs && durationNs && *durationNs >= 0) {
        const TimeRange range { *startNs, saturatedSum(*startNs, *durationNs) };
        noteCollectiveCall(event, kind, range, offset);
        if (!holdTransfer(event, kind, text, { *startNs, *durationNs, offset, {}, {}, {}, {} })
            && !addIncompleteKernel(event, kind, text, range))
            addSlice(event, kind, *startNs, *durationNs);
    } else if (!startNs) {
        count("bad-time", Severity::Error, offset,
              "events whose \"ts\" is missing, not a number (NaN, Infinity) or out of range were "
              "left out; where the file is said to be damaged, that made them: copy it again. Else "
              "they come from a profiler bug: record again with a newer PyTorch");
    } else {
        count("bad-duration", Severity::Error, offset,
              "events whose \"dur\" is missing, negative or not a number were left out; where the "
              "file is said to be damaged, that made them: copy it again. Else they come from a "
              "profiler bug: record again with a newer PyTorch");
    }
}

void KinetoTranslator::addSlice(const ChromeEvent &event, const KinetoCategory &kind,
                                std::int64_t startNs, std::int64_t durationNs,
                                const TransferInfo *transfer)
{
    KinetoDetails details = kinetoDetails(event, kind);
    details.collective.group = cleanView(details.collective.group, m_cleanGroup);
    SliceRecord record;
    record.startNs = startNs;
    record.durationNs = durationNs;
    record.name = internName(event);
    record.category = details.category;
    record.correlation = event.args.correlation;
    record.externalId = event.args.externalId;
    record.node = event.args.recordFunction;
    record.sequence = event.args.sequence;
    record.forwardThread = event.args.forwardThread;
    record.bytes = details.bytes;
    record.args = strictArgs(event, m_cleanArgs);
    record.collective = details.isCollective ? &details.collective : nullptr;
    record.sync = details.isWait ? &details.sync : nullptr;
    record.transfer = transfer;
    TransferInfo message;
    std::string tensor;
    if (!transfer && details.track == TrackKind::Communication && !details.isCollective)
        if (const auto recorded = recordedMessage(event)) {
            message.isSend = recorded->isSend;
            message.peer = recorded->peer;
            message.transaction = cleanView(recorded->tensor, tensor);
            record.transfer = &message;
        }
    KinetoRank &rank = m_ranks.of(event.pid);
    TensorId carried;
    if (details.isCollective && details.track == TrackKind::Communication)
        addReduction(event, rank.worker(), details.collective, carried);
    if (kind.category == Category::CpuOp)
        rank.noteOp(event.pid);
    const auto device = kinetoDevice(event, details.track, rank.stated().has_value());
    m_sink.slice(rank.tracks().find(details.track, event.pid, event.tid, device), record);
}

void KinetoTranslator::addReduction(const ChromeEvent &event, WorkerId worker,
                                    CollectiveInfo &collective, TensorId &carried)
{
    const RecordedReduction reduction = recordedReduction(event);
    collective.readyNs = timeOf(reduction.readyUs);
    if (reduction.tensor.empty())
        return;
    carried = m_sink.tensor(worker, { cleanString(reduction.tensor), 0, {}, {} });
    collective.tensors = { &carried, 1 };
}

bool KinetoTranslator::holdTransfer(const ChromeEvent &event, const KinetoCategory &kind,
                                    std::string_view text, HeldTransfer transfer)
{
    if (event.args.collectiveName.empty() || kind.track != TrackKind::Stream)
        return false;
    std::optional<KinetoPeer> peer = kinetoPeer(event);
    if (!peer)
        return false;
    const std::uint64_t offset = transfer.offset;
    transfer.peer = std::move(*peer);
    transfer.ownRank = m_ranks.of(event.pid).stated();
    transfer.text = text;
    transfer.text.append(json::ScanPadding, '\0');
    if (m_transfers.hold(std::move(transfer)))
        return true;
    count("too-many-transfers", Severity::Warning, offset,
          "more sends and receives than the import may hold: further ones are slices, but are not "
          "tied to their other end. Import again with a larger --memory-limit (longpole import), "
          "or record fewer "
          "steps in one trace");
    return false;
}

void KinetoTranslator::addHeldTransfers(std::optional<int> ownRank, const KinetoGroupRanks &groups)
{
    for (const HeldTransfer &held : m_transfers.take(ownRank, groups)) {
        const char *text = held.text.data();
        ChromeEvent event;
        ChromeEventScanner(text, text + held.text.size() - json::ScanPadding).scan(event);
        TransferInfo transfer;
        transfer.isSend = held.peer.isSend;
        transfer.peer = held.peer.rank;
        transfer.transaction = held.transaction;
        const bool isPeerKnown = !held.transaction.empty() || (!held.ownRank && !ownRank);
        if (!isPeerKnown)
            count("unknown-peer", Severity::Warning, held.offset,
                  "sends and receives whose other end is the rank itself, or no rank of their "
                  "process group, are not tied to it: record again with a newer PyTorch");
        addSlice(event, m_ranks.of(event.pid).categoryOf(event).kind, held.startNs, held.durationNs,
                 isPeerKnown ? &transfer : nullptr);
    }
}

void KinetoTranslator::noteCollectiveCall(const ChromeEvent &event, const KinetoCategory &kind,
                                          TimeRange range, std::uint64_t offset)
{
    bool isTaken = true;
    if (kind.category == Category::CpuOp && KinetoCollectiveCalls::isCall(event))
        isTaken = m_calls.addCall(m_ranks.of(event.pid).worker(), event, range);
    else if (kind.track == TrackKind::HostThread && KinetoCollectiveCalls::isTitle(event))
        isTaken = m_calls.addTitle(event, range);
    else if (kind.category == Category::CpuOp && event.args.externalId != 0)
        isTaken = m_calls.addOp(m_ranks.of(event.pid).worker(), event);
    else if (kind.category == Category::Runtime && !m_calls.empty())
        isTaken = m_calls.addLaunch(m_ranks.of(event.pid).worker(), event, range.startNs);
    if (!isTaken)
        count("too-many-collective-calls", Severity::Warning, offset,
              "more host ops of collectives (record_param_comms, nccl:...) than the import may "
              "hold: kernels of further ones are there without what these tell of group and size. "
              "Import again with a larger --memory-limit (longpole import)");
}

bool KinetoTranslator::addIncompleteKernel(const ChromeEvent &event, const KinetoCategory &kind,
                                           std::string_view text, TimeRange range)
{
    if (kind.category != Category::Kernel && kind.category != Category::CommKernel)
        return false;
    ChromeEvent completed = event;
    const bool isNamedByOp = m_calls.nameByOp(m_ranks.of(event.pid).worker(), completed);
    if (!isNamedByOp && !m_calls.isIncomplete(event))
        return false;
    if (isNamedByOp) {
        m_calls.complete(m_ranks.of(event.pid).worker(), completed);
        addSlice(completed, kind, range.startNs, saturatedDifference(range.endNs, range.startNs));
        return true;
    }
    if (m_calls.complete(m_ranks.of(event.pid).worker(), completed)) {
        addSlice(completed, kind, range.startNs, saturatedDifference(range.endNs, range.startNs));
        return true;
    }
    HeldKernel held { range.startNs, saturatedDifference(range.endNs, range.startNs),
                      std::string(text) };
    held.text.append(json::ScanPadding, '\0');
    return m_calls.hold(std::move(held));
}

void KinetoTranslator::addHeldKernels()
{
    for (const HeldKernel &held : m_calls.take()) {
        const char *text = held.text.data();
        ChromeEvent event;
        ChromeEventScanner(text, text + held.text.size() - json::ScanPadding).scan(event);
        const KinetoCategory kind
            = m_processes.adapt(event, m_ranks.of(event.pid).categoryOf(event).kind);
        m_calls.complete(m_ranks.of(event.pid).worker(), event);
        addSlice(event, kind, held.startNs, held.durationNs);
    }
}

void KinetoTranslator::beginSlice(const ChromeEvent &event, std::string_view text,
                                  std::uint64_t offset)
{
    const std::size_t size = heldBytes(text.size());
    if (m_openCount >= MaximumOpenSlices || m_openBytes + size > heldShare(m_sink)) {
        count("too-many-open-slices", Severity::Error, offset,
              "more than a million begin events (\"ph\": \"B\"), or more than the import may hold, "
              "have no end; further ones were left out. The file is damaged, record again; or "
              "import again with a larger --memory-limit (longpole import)");
        return;
    }
    m_openBytes += size;
    OpenSlice slice { std::string(text), offset };
    slice.text.append(json::ScanPadding, '\0');
    m_open[{ std::string(event.pid), std::string(event.tid) }].push_back(std::move(slice));
    ++m_openCount;
}

/// The end closes the innermost open slice of its thread.
void KinetoTranslator::endSlice(const ChromeEvent &event, std::uint64_t offset)
{
    const auto thread = m_open.find({ std::string(event.pid), std::string(event.tid) });
    if (thread == m_open.end()) {
        m_sink.diagnostics().countLost(
            "end-without-begin", Severity::Warning, { m_file, offset },
            "end events (\"ph\": \"E\") without a begin were only counted: recording began "
            "inside of them, or the begin is damaged; record again if there are many");
        return;
    }
    const OpenSlice slice = std::move(thread->second.back());
    thread->second.pop_back();
    if (thread->second.empty())
        m_open.erase(thread);
    --m_openCount;
    m_openBytes -= heldBytes(slice.text.size() - json::ScanPadding);
    const char *text = slice.text.data();
    ChromeEvent begin;
    ChromeEventScanner(text, text + slice.text.size() - json::ScanPadding).scan(begin);
    const std::optional<std::int64_t> startNs = timeOf(begin.timestamp);
    const std::optional<std::int64_t> endNs = timeOf(event.timestamp);
    if (!startNs || !endNs || *endNs < *startNs) {
        count("bad-time", Severity::Error, slice.offset,
              "begin and end events whose times are missing, no numbers or reversed were left "
              "out; record again if there are many");
        return;
    }
    addSlice(begin, m_ranks.of(begin.pid).categoryOf(begin).kind, *startNs, *endNs - *startNs);
}

void KinetoTranslator::noteLabel(const ChromeEvent &event, std::uint64_t offset)
{
    if (!m_ranks.noteLabel(event))
        count("rank-label-ignored", Severity::Warning, offset,
              "labels that name the rank of a process were ignored: they come after its events, "
              "contradict an earlier one, or name more than 16384 processes. Write the labels "
              "(\"process_labels\") first");
}

void KinetoTranslator::addMemory(const ChromeEvent &event, std::uint64_t offset)
{
    const std::optional<std::int64_t> timeNs = timeOf(event.timestamp);
    const auto memory = timeNs ? kinetoMemoryEvent(event, *timeNs) : std::optional<MemoryEvent>();
    if (memory)
        m_sink.memory(m_ranks.of(event.pid).worker(), *memory);
    else
        count("bad-memory-event", Severity::Error, offset,
              "allocations (\"[memory]\") whose time, \"Bytes\" or device is missing or out of "
              "range were left out; where the file is said to be damaged, that made them: copy it "
              "again. Else they come from a profiler bug: record again with a newer PyTorch");
}

NameId KinetoTranslator::internName(const ChromeEvent &event)
{
    return event.nameFlags == 0 ? m_sink.intern(event.name)
                                : m_sink.intern(cleanString(event.name));
}

std::optional<std::int64_t> KinetoTranslator::timeOf(std::string_view text)
{
    const std::optional<std::int64_t> ns = nanosecondsFromMicroseconds(text);
    return ns ? m_clock.absolute(*ns) : std::nullopt;
}

void KinetoTranslator::finish(const WorkerInfo &info, const KinetoGroupRanks &groups)
{
    for (const auto &[thread, slices] : m_open) {
        for (const OpenSlice &slice : slices)
            count("begin-without-end", Severity::Error, slice.offset,
                  "begin events (\"ph\": \"B\") without an end were left out: the file was cut, or "
                  "the job ended inside of them; record again to have them");
    }
    addHeldTransfers(info.rank, groups);
    addHeldKernels();
    if (m_ranks.all().empty())
        m_ranks.own();
    for (KinetoRank &rank : m_ranks.all()) {
        for (const KinetoCategoryCount &category : rank.categories())
            m_sink.countEvents(rank.worker(), cleanString(category.name), category.count);
        rank.tracks().nameAll(rank.stated().has_value());
        WorkerInfo described = info;
        if (rank.stated())
            described.rank = rank.stated();
        if (described.host.empty())
            described.host = hostFromName();
        m_sink.describeWorker(rank.worker(), described);
    }
    reportProcesses();
    reportUnknownDeviceWork();
    reportAbsent();
    if (!m_processes.accelerator().empty())
        m_sink.metadata(AcceleratorKey, cleanString(m_processes.accelerator()));
}

void KinetoTranslator::reportUnknownDeviceWork()
{
    if (const std::uint64_t unknown = m_processes.unknownDeviceSlices(); unknown > 0)
        m_sink.diagnostics().add(
            { "unknown-device-work",
              Severity::Warning,
              unknown,
              m_file,
              {},
              "slices of devices have an unknown category (\"cat\"). They are shown, but not "
              "counted "
              "as computation or communication; how busy the devices were is not known" });
}

void KinetoTranslator::reportProcesses()
{
    if (m_ranks.all().size() != 1 || m_ranks.all().front().stated())
        return;
    const std::vector<std::string> processes = m_ranks.all().front().processesOfOps();
    if (processes.size() < 2)
        return;
    std::string list;
    for (std::size_t i = 0; i < processes.size(); ++i)
        list += (i == 0                          ? ""
                     : i + 1 == processes.size() ? " and "
                                                 : ", ")
            + cleanString(processes[i]);
    const std::string what = "Ops of " + std::to_string(processes.size()) + " processes (" + list
        + ") stand in one rank's file";
    m_sink.diagnostics().count(
        "several-processes", Severity::Warning, { m_file, std::nullopt },
        what
            + ": several ranks may have written to one path, over each other. Its times are those "
              "of none of them. Give each rank a path of its own, and record again");
    m_sink.metadata(DoubtKey, what + ": its times may be those of several ranks.");
}

std::string KinetoTranslator::hostFromName() const
{
    const std::optional<NamedProcess> named = processFromName(m_file);
    const bool isOfIt = named && m_ranks.all().size() == 1
        && m_ranks.all().front().tracks().hasThreads(named->pid);
    return isOfIt ? cleanString(named->host) : std::string();
}

void KinetoTranslator::reportAbsent()
{
    const auto has = [this](Category category) {
        return std::any_of(
            m_ranks.all().begin(), m_ranks.all().end(), [category](const KinetoRank &rank) {
                return std::any_of(rank.categories().begin(), rank.categories().end(),
                                   [category](const KinetoCategoryCount &known) {
                                       return known.kind.category == category;
                                   });
            });
    };
    if (has(Category::Kernel) && !has(Category::Sync))
        m_sink.diagnostics().count(
            "no-sync-events", Severity::Info, { m_file, std::nullopt },
            "no cuda_sync events: which stream waits for which event is inferred. To record them, "
            "give torch.profiler experimental_config="
            "torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)");
}

void KinetoTranslator::count(std::string_view code, Severity severity, std::uint64_t offset,
                             std::string_view message)
{
    m_sink.diagnostics().count(code, severity, { m_file, offset }, message);
}

} // namespace core
