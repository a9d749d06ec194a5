#include "core/import/nsight/nsight_nvtx.h"

#include "core/import/nsight/mpi_call.h"
#include "core/import/nsight/nvtx_events.h"
#include "core/import/step_name.h"
#include "core/import/text/decimal_time.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::string_view NcclDomain = "NCCL";
    constexpr std::string_view MpiDomain = "MPI";
    constexpr std::size_t MostSteps = 1'000'000; ///< whatever the memory
    constexpr std::size_t BytesPerStep = 256; ///< about, where each is of a loop of its own
    constexpr std::size_t LongestJson = 64 * 1024;

    enum NvtxColumns {
        NvtxStart,
        NvtxEnd,
        Type,
        Thread,
        Text,
        TextId,
        Domain,
        Binary,
        JsonText,
        JsonTextId,
    };

    /// Where PyTorch's emit_nvtx() goes on after the op's name: "aten::mm, seq = 3, op_id = 7,
    /// sizes = [[2, 3]]".
    std::size_t endOfOpName(std::string_view name)
    {
        return std::min(name.find(", seq = "), name.find(", op_id = "));
    }

    bool isFrameworkOp(std::string_view name)
    {
        constexpr std::array Prefixes
            = { std::string_view("aten::"), std::string_view("autograd::"),
                std::string_view("torch::"), std::string_view("c10d::") };
        return endOfOpName(name) != std::string_view::npos
            || std::any_of(Prefixes.begin(), Prefixes.end(),
                           [name](std::string_view prefix) { return name.starts_with(prefix); });
    }

    /// The autograd sequence number plus one; 0 where there is none.
    std::uint64_t sequenceOf(std::string_view name)
    {
        constexpr std::string_view Key = ", seq = ";
        const std::size_t at = name.find(Key);
        if (at == std::string_view::npos)
            return 0;
        std::string_view number = name.substr(at + Key.size());
        number = number.substr(0, number.find(','));
        const std::optional<std::int64_t> sequence = integerFrom(number);
        return sequence && *sequence >= 0 ? static_cast<std::uint64_t>(*sequence) + 1 : 0;
    }

    using NumberedStep = std::pair<const std::int64_t, TimeRange>;

    /// Programs mark the work of a step and leave out what lies between, such as loading data; an
    /// iteration takes until the next one begins. A gap as long as a step is something else
    /// (validation, a checkpoint).
    TimeRange untilNext(const NumberedStep &step, const NumberedStep &next)
    {
        TimeRange range = step.second;
        std::int64_t gapNs = 0;
        if (__builtin_sub_overflow(next.second.startNs, range.endNs, &gapNs))
            return range;
        if (next.first == step.first + 1 && gapNs > 0 && gapNs < range.durationNs())
            range.endNs = next.second.startNs;
        return range;
    }

} // namespace

void NsightNvtxReader::read(NsightNccl &nccl)
{
    m_context.db.forEachRow(NvtxTable,
                            { "start", "end", "eventType", "globalTid", "text", "textId",
                              "domainId", "binaryData", "jsonText", "jsonTextId" },
                            [&](const NsightRow &row) { addRow(row, nccl); });
    giveSteps();
}

void NsightNvtxReader::addRow(const NsightRow &row, NsightNccl &nccl)
{
    const std::optional<std::int64_t> thread = row.number(Thread);
    const std::optional<WorkerId> worker = m_workers.countedWorker(NvtxTable, thread);
    const std::int64_t type = row.number(Type).value_or(0);
    if (!worker || isNvtxDescription(type))
        return;
    if (!isNvtxRange(type) && type != NvtxMark)
        return m_context.sink.diagnostics().countLost("unknown-record", Severity::Warning,
                                                      { m_context.db.name(), {} },
                                                      "NVTX rows that are neither ranges nor marks "
                                                      "were only counted: the report was damaged, "
                                                      "or is of a newer Nsight Systems");
    const auto endNs = type == NvtxMark ? row.number(NvtxStart) : row.number(NvtxEnd);
    const auto times = m_context.rangeOf(NvtxTable, row.number(NvtxStart), endNs, true);
    if (!times)
        return;
    Range range {
        *thread,       *worker, *times, nameOf(row), domainOf(*thread, row.natural(Domain)),
        payloadOf(row)
    };
    if (range.domain.starts_with(NcclDomain))
        nccl.addRange(*thread, range.range, range.name, range.payload);
    if (type != NvtxMark)
        noteStep(range);
    addRange(range, isNvtxStartEnd(type));
}

std::string_view NsightNvtxReader::nameOf(const NsightRow &row)
{
    if (!row.isNull(Text))
        m_name = nsightName(row.text(Text));
    else if (const auto id = row.number(TextId))
        m_name = m_context.strings.text(*id).value_or("?");
    else
        m_name = "?";
    return m_name;
}

std::string_view NsightNvtxReader::domainOf(std::int64_t globalTid,
                                            std::optional<std::uint64_t> domain)
{
    const std::string *name = m_survey.domainName(globalTid, domain.value_or(0));
    return name != nullptr ? std::string_view(*name) : std::string_view();
}

NcclPayload NsightNvtxReader::payloadOf(const NsightRow &row)
{
    if (!row.isNull(Binary))
        return m_payloads.decode(row.bytes(Binary));
    if (!row.isNull(JsonText)) {
        const std::string_view json = row.text(JsonText);
        return json.size() <= LongestJson ? NvtxPayloads::decodeJson(json) : NcclPayload();
    }
    if (const auto id = row.number(JsonTextId))
        return NvtxPayloads::decodeJson(m_context.strings.text(*id).value_or(""));
    return {};
}

void NsightNvtxReader::addRange(const Range &range, bool isStartEnd)
{
    SliceRecord record;
    record.startNs = range.range.startNs;
    record.durationNs = range.range.durationNs();
    record.category = Category::UserAnnotation;
    record.bytes = range.payload.bytes.value_or(0);
    TrackKind track = isStartEnd ? TrackKind::Annotation : TrackKind::HostThread;
    std::string_view what = isStartEnd ? "ranges" : "";
    std::optional<CollectiveInfo> collective;
    writeArgs(range, {});
    if (range.domain == MpiDomain && isMpiCommunication(range.name)) {
        collective = mpiCollective(range.name);
        record.category = Category::CommOp;
        record.collective = collective ? &*collective : nullptr;
        track = TrackKind::Communication;
        what = MpiDomain;
        record.name = m_context.sink.intern(range.name);
    } else if (isFrameworkOp(range.name)) {
        addFrameworkOp(range, record);
    } else {
        record.name = m_context.sink.intern(range.name);
    }
    record.args = m_args;
    m_context.sink.slice(m_tracks.thread(range.worker, track, range.globalTid, what), record);
}

/// The op's name alone, so that equal ops have equal names; what follows it is kept as argument.
void NsightNvtxReader::addFrameworkOp(const Range &range, SliceRecord &record)
{
    const std::size_t end = endOfOpName(range.name);
    record.name = m_context.sink.intern(range.name.substr(0, end));
    record.category = Category::CpuOp;
    record.sequence = sequenceOf(range.name);
    if (end != std::string_view::npos)
        writeArgs(range, range.name);
}

void NsightNvtxReader::writeArgs(const Range &range, std::string_view fullName)
{
    m_args.clear();
    const NcclPayload &payload = range.payload;
    if (range.domain.empty() && fullName.empty() && payload.isEmpty())
        return;
    nlohmann::json args;
    if (!range.domain.empty())
        args["domain"] = range.domain;
    if (!fullName.empty())
        args["nvtx"] = fullName;
    if (payload.communicator)
        args["communicator"] = communicatorName(payload.communicator);
    if (payload.bytes)
        args["bytes"] = *payload.bytes;
    for (const auto &[key, value] :
         { std::pair("rank", payload.rank), std::pair("ranks", payload.rankCount),
           std::pair("peer", payload.peer), std::pair("root", payload.root) }) {
        if (value)
            args[key] = *value;
    }
    m_args = args.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void NsightNvtxReader::noteStep(const Range &range)
{
    std::optional<StepName> step = stepName(range.name);
    if (!step || range.range.isEmpty())
        return;
    // NsightNccl has the other half, and NsightSyncReader begins when the steps were given out.
    if (m_stepCount >= std::min(MostSteps, m_context.sink.importerBytes() / 2 / BytesPerStep)) {
        m_context.count("too-many-steps", Severity::Warning,
                        "the report has more numbered ranges than the import may hold: steps of "
                        "its end are not known. Import again with a larger --memory-limit "
                        "(longpole import), or "
                        "record less");
        return;
    }
    Steps &steps = m_steps[{ range.globalTid, std::move(step->word) }];
    steps.worker = range.worker;
    m_stepCount += steps.byNumber.emplace(step->number, range.range).second ? 1 : 0;
}

/// Of each worker's loops, the one whose word is the surest; of equal ones the longest.
void NsightNvtxReader::giveSteps()
{
    std::map<WorkerId, const std::pair<const StepKey, Steps> *> best;
    for (const auto &candidate : m_steps) {
        const auto *&chosen = best[candidate.second.worker];
        const auto rankOf = [](const std::pair<const StepKey, Steps> &steps) {
            return std::pair(-stepPriority(steps.first.second), steps.second.byNumber.size());
        };
        if (chosen == nullptr || rankOf(candidate) > rankOf(*chosen))
            chosen = &candidate;
    }
    for (const auto &[worker, steps] : best) {
        const std::map<std::int64_t, TimeRange> &byNumber = steps->second.byNumber;
        for (auto step = byNumber.begin(); step != byNumber.end(); ++step) {
            const auto next = std::next(step);
            m_context.sink.iteration(worker, step->first,
                                     next == byNumber.end() ? step->second
                                                            : untilNext(*step, *next));
        }
    }
}

} // namespace core
