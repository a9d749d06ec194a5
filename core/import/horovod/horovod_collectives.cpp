#include "core/import/horovod/horovod_collectives.h"

#include "core/import/held_share.h"

#include <algorithm>

namespace core {

namespace {

    /// Old versions take the time anew for each tensor of a batch.
    constexpr std::int64_t FusedToleranceNs = 100'000;
    constexpr std::size_t LargestBatch = 16'384;
    constexpr std::size_t MostRanks = 16'384;
    constexpr std::string_view Group = "horovod";

    bool isNear(std::int64_t a, std::int64_t b)
    {
        return std::max(a, b) - std::min(a, b) <= FusedToleranceNs;
    }

} // namespace

HorovodCollectives::HorovodCollectives(TraceSink &sink, WorkerId worker, std::string file,
                                       std::optional<int> folderRank)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_folderRank(folderRank)
    , m_own(addRank(worker))
{
}

void HorovodCollectives::add(HorovodOp op)
{
    m_hasReady = m_hasReady || !op.readyNs.empty();
    if (!m_batch.empty() && !isFused(op))
        flush();
    m_batchBytes += op.heldBytes();
    m_batch.push_back(std::move(op));
}

/// Whether the operation runs together with the last one of the batch.
bool HorovodCollectives::isFused(const HorovodOp &op) const
{
    const HorovodOp &last = m_batch.back();
    return m_batch.size() < LargestBatch && m_batchBytes < heldShare(m_sink) && op.name == last.name
        && op.transfer == last.transfer
        && isNear(op.transferRange.startNs, last.transferRange.startNs)
        && isNear(op.transferRange.endNs, last.transferRange.endNs)
        && op.transferRange.overlaps(last.transferRange);
}

/// When each rank was ready for all tensors of the batch; without ranks that missed one.
std::map<int, std::int64_t> HorovodCollectives::readyForAll() const
{
    std::map<int, std::int64_t> ready = m_batch.front().readyNs;
    for (const HorovodOp &op : m_batch) {
        std::erase_if(ready, [&op](const auto &rank) { return !op.readyNs.contains(rank.first); });
        for (auto &[rank, ns] : ready)
            ns = std::max(ns, op.readyNs.at(rank));
    }
    return ready;
}

void HorovodCollectives::flush()
{
    TimeRange transfer = m_batch.front().transferRange;
    for (const HorovodOp &op : m_batch) {
        transfer.startNs = std::min(transfer.startNs, op.transferRange.startNs);
        transfer.endNs = std::max(transfer.endNs, op.transferRange.endNs);
    }
    std::map<int, std::int64_t> ready = readyForAll();
    m_withoutReady += ready.empty() ? 1 : 0;
    const bool isOneOfMany = !m_folderRank && (ready.size() > 1 || !ready.contains(0));
    if (isOneOfMany && !ready.empty()) {
        ready.emplace(0, transfer.startNs);
        for (const auto &[number, readyNs] : ready)
            if (const Rank *rank = rankOf(number))
                addPart(*rank, { std::min(readyNs, transfer.endNs), transfer.endNs });
    } else {
        addPart(m_own, transfer);
    }
    ++m_sequence;
    m_batch.clear();
    m_batchBytes = 0;
}

HorovodCollectives::Rank *HorovodCollectives::rankOf(int rank)
{
    if (rank == 0)
        return &m_own;
    const auto known = m_others.find(rank);
    if (known != m_others.end())
        return &known->second;
    if (m_others.size() >= MostRanks) {
        m_hasTooManyRanks = true;
        return nullptr;
    }
    return &m_others.emplace(rank, addRank(m_sink.addWorker())).first->second;
}

HorovodCollectives::Rank HorovodCollectives::addRank(WorkerId worker)
{
    const TrackId track = m_sink.track(
        worker, { TrackKind::Communication, "horovod", "collectives", std::nullopt });
    m_sink.nameTrack(track, "collectives");
    return { worker, track };
}

void HorovodCollectives::addPart(const Rank &rank, TimeRange range)
{
    const HorovodOp &first = m_batch.front();
    std::vector<TensorId> tensors;
    std::uint64_t bytes = 0;
    for (const HorovodOp &op : m_batch) {
        tensors.push_back(m_sink.tensor(rank.worker, { op.tensor, op.bytes, op.dtype, op.shape }));
        bytes += op.bytes;
    }
    CollectiveInfo collective;
    collective.kind = first.kind;
    collective.group = Group;
    if (!m_folderRank && m_hasReady)
        collective.sequence = m_sequence;
    collective.tensors = tensors;
    std::string name = first.name + ' ' + first.tensor;
    if (m_batch.size() > 1)
        name += " + " + std::to_string(m_batch.size() - 1);
    SliceRecord record;
    record.startNs = range.startNs;
    record.durationNs = range.durationNs();
    record.name = m_sink.intern(name);
    record.category = Category::CommOp;
    record.bytes = bytes;
    record.collective = &collective;
    m_sink.slice(rank.track, record);
}

void HorovodCollectives::finish(std::optional<int> digits)
{
    if (!m_batch.empty())
        flush();
    describeRanks(digits);
    report();
}

void HorovodCollectives::describeRanks(std::optional<int> digits)
{
    WorkerInfo info;
    info.rank = m_folderRank ? m_folderRank : m_hasReady ? std::optional(0) : digits;
    if (digits && !m_folderRank && !m_hasReady)
        m_sink.diagnostics().count(
            "rank-from-digits", Severity::Info, { m_file, std::nullopt },
            "no word says which rank this is: the number at the end of its name was taken, where "
            "BlueFog puts the rank. To say it: longpole import --rank FILE=N");
    if (!m_others.empty())
        info.worldSize = m_others.rbegin()->first + 1;
    m_sink.describeWorker(m_own.worker, info);
    for (const auto &[number, rank] : m_others) {
        info.rank = number;
        m_sink.describeWorker(rank.worker, info);
    }
}

void HorovodCollectives::report()
{
    const auto note = [this](std::string_view code, Severity severity, std::uint64_t times,
                             std::string_view message) {
        m_sink.diagnostics().add(
            { std::string(code), severity, times, m_file, std::nullopt, std::string(message) });
    };
    if (!m_others.empty())
        note("ranks-from-negotiation", Severity::Info, m_others.size(),
             "ranks other than 0 are known by when they were ready only: their collectives begin "
             "there and end with rank 0's. Import the ranks' own traces to see what they computed");
    if (m_hasReady && m_withoutReady > 0)
        note(
            "no-ready-times", Severity::Info, m_withoutReady,
            "collectives name no ready ranks, since Horovod answered them from its cache: who came "
            "last is unknown there. Set HOROVOD_CACHE_CAPACITY=0 while recording");
    if (m_hasTooManyRanks)
        note("too-many-ranks", Severity::Error, 1,
             "more than 16384 ranks are named; further ones were left out: the file is damaged, "
             "record again");
}

} // namespace core
