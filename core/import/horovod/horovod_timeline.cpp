#include "core/import/horovod/horovod_timeline.h"

#include "core/bundle/file_name.h"
#include "core/import/held_share.h"
#include "core/import/kineto/kineto_collectives.h"
#include "core/import/rank_from_folders.h"
#include "core/import/rank_from_name.h"
#include "core/import/text/decimal_time.h"
#include "core/import/text/json_object.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace core {

namespace {

    constexpr std::string_view Negotiation = "NEGOTIATE_";
    /// Differences of two times must fit; ChromeSlice's times are bounded as well.
    constexpr std::int64_t LatestNs = std::numeric_limits<std::int64_t>::max() / 2;
    constexpr std::int64_t LargestRank = 999'999;
    constexpr std::size_t BytesPerTensorRow = 320; ///< of a tensor, beside its texts; about
    constexpr std::array TransferPrefixes
        = { std::string_view("NCCL_"), std::string_view("MPI_"), std::string_view("GLOO_"),
            std::string_view("CCL_"), std::string_view("DDL_") };
    constexpr std::array Operations
        = { std::string_view("ALLREDUCE"),     std::string_view("ALLGATHER"),
            std::string_view("BROADCAST"),     std::string_view("ALLTOALL"),
            std::string_view("REDUCESCATTER"), std::string_view("ADASUM") };

    /// Also what runs within one, which has the name of a library before it, is none.
    bool isOperation(std::string_view name)
    {
        return std::find(Operations.begin(), Operations.end(), name) != Operations.end();
    }

    /// What BlueFog times between hooks of a module and of its parameters' gradients.
    constexpr std::array Computations
        = { std::string_view("FORWARD"), std::string_view("GRADIENT COMPT.") };

    bool isComputation(std::string_view name)
    {
        return std::find(Computations.begin(), Computations.end(), name) != Computations.end();
    }

    /// Without the library that carried it out: "ALLREDUCE" of "MPI_ALLREDUCE".
    std::string_view withoutLibrary(std::string_view name)
    {
        for (const std::string_view prefix : TransferPrefixes)
            if (name.starts_with(prefix))
                return name.substr(prefix.size());
        return name;
    }

    bool isTransfer(std::string_view name)
    {
        return withoutLibrary(name).size() < name.size();
    }

    /// The collective that an outermost activity is; absent for others (FORWARD, ENQUEUE_...).
    std::optional<std::string_view> operationOf(std::string_view name)
    {
        const std::string_view operation = withoutLibrary(name);
        const bool isKnown
            = std::find(Operations.begin(), Operations.end(), operation) != Operations.end();
        if (!isKnown && !isTransfer(name))
            return std::nullopt;
        if (operation == "ADASUM")
            return "all_reduce";
        return operation == "BCAST" ? "broadcast" : collectiveKind(operation);
    }

    /// The rank that a ready mark is named by.
    std::optional<int> tickRank(const ChromeSlice &slice)
    {
        const auto number = integerFrom(slice.name);
        return slice.durationNs == 0 && number && *number >= 0 && *number <= LargestRank
            ? std::optional(static_cast<int>(*number))
            : std::nullopt;
    }

    /// Of a tensor whose name is not known.
    std::string tensorNameOf(std::string_view pid)
    {
        return "tensor " + std::string(pid);
    }

    /// BlueFog puts the rank right behind the name that the user gave: "timeline3.json".
    std::optional<int> numberBehindName(std::string_view path)
    {
        path = fileName(path);
        path = path.substr(0, path.find('.'));
        const std::size_t digits = path.find_last_not_of("0123456789") + 1;
        const auto number = integerFrom(path.substr(digits));
        return number && path.size() - digits <= 6 ? std::optional(static_cast<int>(*number))
                                                   : std::nullopt;
    }

} // namespace

HorovodTimeline::HorovodTimeline(const BundleEntry &entry, TraceSink &sink)
    : m_file(entry.name())
    , m_sink(sink)
    , m_worker(sink.addWorker())
    , m_collectives(sink, m_worker, m_file, rankFromFolders(entry))
    , m_model(entry, "", sink)
    , m_tracks(sink, m_file)
    , m_computedUntilNs(std::numeric_limits<std::int64_t>::min())
{
}

bool HorovodTimeline::takeRoom(std::size_t sizeBytes)
{
    const std::size_t most = heldShare(m_sink);
    if (sizeBytes <= most && m_heldBytes <= most - sizeBytes) {
        m_heldBytes += sizeBytes;
        return true;
    }
    m_sink.diagnostics().count(
        "too-many-tensors", Severity::Warning, { m_file, std::nullopt },
        "more tensors, and ranks that were ready for them, than the import may hold: what runs on "
        "the further ones are slices, but no collectives. Import again with a larger "
        "--memory-limit (longpole import); if the job never had that many, the file is damaged: "
        "record again");
    return false;
}

HorovodTimeline::Row *HorovodTimeline::rowOf(std::string_view pid)
{
    const auto known = m_rows.find(pid);
    if (known != m_rows.end())
        return &known->second;
    if (!takeRoom(BytesPerTensorRow + 2 * pid.size()))
        return nullptr;
    return &m_rows.emplace(pid, Row { tensorNameOf(pid), false, {} }).first->second;
}

TrackId HorovodTimeline::trackOf(const ChromeSlice &slice, const Row *row)
{
    std::string name = row != nullptr ? row->tensor : tensorNameOf(slice.pid);
    if (!slice.tid.empty())
        name += " (" + std::string(slice.tid) + ')';
    return m_tracks.row(m_worker, { TrackKind::Annotation, slice.pid, slice.tid, std::nullopt },
                        name);
}

void HorovodTimeline::addMetadata(std::string_view name, std::string_view pid, std::string_view,
                                  std::string_view args)
{
    if (name != "process_name")
        return;
    const nlohmann::json values = objectFrom(args);
    const auto epoch = values.find("start_time_since_epoch_in_micros");
    if (epoch != values.end() && epoch->is_number_integer()) {
        const auto epochUs = epoch->get<std::int64_t>();
        m_hasEpoch = epochUs >= 0 && epochUs <= LatestNs / 1000;
        m_epochNs = m_hasEpoch ? epochUs * 1000 : 0;
    }
    const std::string tensor = textMember(values, "name");
    Row *row = tensor.empty() ? nullptr : rowOf(pid);
    if (row != nullptr && takeRoom(tensor.size())) {
        m_heldBytes -= row->isNamed ? row->tensor.size() : 0;
        row->tensor = tensor;
        row->isNamed = true;
    }
}

bool HorovodTimeline::hasEnded(std::string_view open, std::string_view begun) const
{
    if (open.starts_with(Negotiation) || isOperation(open))
        return begun.starts_with(Negotiation) || isOperation(begun);
    return !isComputation(open);
}

void HorovodTimeline::addUnended(std::string_view open, std::string_view begun,
                                 std::string_view pid)
{
    const auto row = m_rows.find(pid);
    if (row == m_rows.end() || (!begun.starts_with(Negotiation) && !isOperation(open)))
        return;
    m_heldBytes -= std::exchange(row->second.op, {}).heldBytes();
}

void HorovodTimeline::addSlice(const ChromeSlice &slice)
{
    const TimeRange range { slice.startNs + m_epochNs,
                            slice.startNs + slice.durationNs + m_epochNs };
    if (range.endNs > LatestNs) {
        m_sink.diagnostics().count(
            "bad-time", Severity::Error, { m_file, std::nullopt },
            "events whose time is out of range were left out; record again if there are many");
        return;
    }
    Row *row = rowOf(slice.pid);
    if (const auto rank = tickRank(slice)) {
        addTick(row, slice, *rank, range.startNs);
        return;
    }
    SliceRecord record;
    record.startNs = range.startNs;
    record.durationNs = slice.durationNs;
    record.name = m_sink.intern(slice.name);
    record.category = Category::UserAnnotation;
    record.args = slice.args;
    m_sink.slice(trackOf(slice, row), record);
    if (isComputation(slice.name))
        addComputation(row, slice, range);
    else if (row != nullptr)
        noteActivity(*row, slice, range);
}

/// BlueFog begins the activities of all parameters together, at the start of the pass, and ends
/// each when its own layer is done. One thread goes through the layers, so what a layer computes
/// begins where the one before it ended.
void HorovodTimeline::addComputation(const Row *row, const ChromeSlice &slice, TimeRange range)
{
    const std::int64_t startNs = std::min(std::max(range.startNs, m_computedUntilNs), range.endNs);
    m_computedUntilNs = std::max(m_computedUntilNs, range.endNs);
    SliceRecord record;
    record.startNs = startNs;
    record.durationNs = range.endNs - startNs;
    record.name = m_sink.intern(row == nullptr ? std::string(slice.name)
                                               : std::string(slice.name) + ' ' + row->tensor);
    record.category = Category::CpuOp;
    m_sink.slice(m_tracks.row(m_worker,
                              { TrackKind::HostThread, "horovod", "computation", std::nullopt },
                              "computation"),
                 record);
}

void HorovodTimeline::addTick(Row *row, const ChromeSlice &slice, int rank, std::int64_t startNs)
{
    if (row != nullptr)
        noteReady(row->op, rank, startNs);
    SliceRecord record;
    record.startNs = startNs;
    record.name = m_sink.intern("rank " + std::to_string(rank) + " ready");
    record.category = Category::UserAnnotation;
    m_sink.slice(trackOf(slice, row), record);
}

void HorovodTimeline::noteReady(HorovodOp &op, int rank, std::int64_t startNs)
{
    const auto known = op.readyNs.find(rank);
    if (known != op.readyNs.end())
        known->second = startNs;
    else if (takeRoom(HorovodOp::BytesPerReady))
        op.readyNs.emplace(rank, startNs);
}

void HorovodTimeline::noteActivity(Row &row, const ChromeSlice &slice, TimeRange range)
{
    if (slice.name.starts_with(Negotiation))
        return;
    if (isTransfer(slice.name))
        noteTransfer(row.op, slice, range);
    if (slice.enclosing == 0)
        finishOp(row, slice, range);
}

void HorovodTimeline::noteTransfer(HorovodOp &op, const ChromeSlice &slice, TimeRange range)
{
    if (!takeRoom(slice.name.size()))
        return;
    m_heldBytes -= op.transfer.size();
    const bool isFirst = op.transfer.empty();
    op.transfer = slice.name;
    op.transferRange.startNs
        = isFirst ? range.startNs : std::min(op.transferRange.startNs, range.startNs);
    op.transferRange.endNs = isFirst ? range.endNs : std::max(op.transferRange.endNs, range.endNs);
}

void HorovodTimeline::finishOp(Row &row, const ChromeSlice &slice, TimeRange range)
{
    const auto kind = operationOf(slice.name);
    if (!kind)
        return;
    HorovodOp op = std::exchange(row.op, {});
    m_heldBytes -= op.heldBytes(); // so far it is only what was taken room for
    op.tensor = row.tensor;
    op.kind = *kind;
    op.name = slice.name;
    if (op.transfer.empty()) {
        op.transfer = slice.name;
        op.transferRange = range;
    }
    const nlohmann::json args = objectFrom(slice.args);
    op.dtype = textMember(args, "dtype");
    op.shape = textMember(args, "shape");
    op.bytes = tensorBytes('[' + op.shape + ']', "[\"" + op.dtype + "\"]");
    if (op.bytes == 0 && op.shape.empty()) { // not all that write timelines say it
        const TensorRecord known = m_model.tensor(op.tensor);
        op.bytes = known.bytes;
        op.dtype = known.dtype;
        op.shape = known.shape;
    }
    m_collectives.add(std::move(op));
}

void HorovodTimeline::finish(const ChromeSlices::Counts &counts)
{
    for (const auto &[category, count] : counts)
        m_sink.countEvents(m_worker, category, count);
    m_collectives.finish(rankFromWords(m_file) ? std::nullopt : numberBehindName(m_file));
    if (!m_hasEpoch)
        m_sink.diagnostics().count(
            "no-epoch", Severity::Info, { m_file, std::nullopt },
            "the timeline's times do not count from the Unix epoch, so it can be seen beside other "
            "traces of the job only where the ranks' collectives match. Horovod 0.21 and later "
            "write start_time_since_epoch_in_micros");
}

} // namespace core
