#include "core/graph/build/exchanges.h"

#include "core/align/align.h"
#include "core/align/message_matching.h"
#include "core/graph/build/contradicted_matches.h"
#include "core/model/world_size.h"

#include <algorithm>
#include <unordered_map>

namespace core {

namespace {

    /// Device activities and a backend's calls become ops; what else claims to be communication is
    /// damage, or a stage of it.
    bool becomesOp(const GraphContext &context, SliceId slice, WorkerId worker)
    {
        const auto place = context.slices.find(slice);
        if (!place || context.slices.worker(slice) != worker)
            return false;
        const Category category = context.slices.category(slice);
        const TrackKind kind = context.trace.tracks[place->track.value].kind;
        return (kind == TrackKind::Stream && isDeviceActivity(category))
            || (kind == TrackKind::Communication && category == Category::CommOp);
    }

    bool isInside(const GraphContext &context, const Exchange &exchange)
    {
        return std::all_of(
            exchange.parts.begin(), exchange.parts.end(), [&context](const Exchange::Part &part) {
                if (!becomesOp(context, part.slice, part.worker))
                    return false;
                const auto place = context.slices.find(part.slice);
                return context.isOfIterations(context.trace.tracks[place->track.value], place->row);
            });
    }

    /// By slice: the one tensor that it carries.
    std::unordered_map<std::uint64_t, std::string_view> tensorsOfSlices(const Trace &trace)
    {
        std::unordered_map<std::uint64_t, std::string_view> tensors;
        for (const TensorUse &use : trace.tensorUses) {
            const auto [entry, isNew]
                = tensors.emplace(use.slice.value, trace.tensors[use.tensor.value].name);
            if (!isNew)
                entry->second = {}; // several: fused
        }
        return tensors;
    }

    class ExchangeFinder
    {
    public:
        explicit ExchangeFinder(GraphContext &context)
            : m_context(context)
            , m_trace(context.trace)
            , m_tensors(tensorsOfSlices(context.trace))
            , m_worldSize(statedWorldSize(context.trace))
            , m_ranksOfJob(static_cast<std::size_t>(std::count_if(
                  m_trace.workers.begin(), m_trace.workers.end(),
                  [this](const Worker &worker) { return !isOfOtherJob(worker, m_worldSize); })))
        {
        }

        std::vector<Exchange> find(const JobControl &control)
        {
            std::vector<std::string> notes;
            m_context.matched = std::make_shared<const std::vector<MatchedCollective>>(
                possibleCollectives(m_trace, m_context.slices, notes, control));
            for (const MatchedCollective &match : *m_context.matched)
                if (match.calls.size() > 1)
                    addCollective(match);
            addMessages(notes, control);
            for (std::string &note : notes)
                m_context.builder.addNote(std::move(note));
            return std::move(m_exchanges);
        }

    private:
        void addCollective(const MatchedCollective &match)
        {
            const CollectiveCall &first = m_trace.collectives[match.calls.front()];
            Exchange exchange;
            exchange.kind = first.kind;
            exchange.group = first.group;
            exchange.sequence = match.sequence;
            exchange.statedRanks = statedRanks(match);
            const auto tensor = m_tensors.find(first.slice.value);
            if (tensor != m_tensors.end())
                exchange.tensor = tensor->second;
            for (const std::size_t index : match.calls) {
                const CollectiveCall &call = m_trace.collectives[index];
                exchange.parts.push_back({ call.worker, call.slice, call.bytes, {} });
                if (exchange.algorithm.empty())
                    exchange.algorithm = call.algorithm;
                // Without a tensor it is a mark around a call, whose own hand-over is recorded.
                if (call.readyNs && !exchange.tensor.empty())
                    exchange.parts.back().readyNs = m_trace.toAligned(call.worker, *call.readyNs);
            }
            keep(std::move(exchange));
        }

        /// Of its group; of a collective of all ranks that are recorded, those of the job.
        std::uint32_t statedRanks(const MatchedCollective &match) const
        {
            int ranks = 0;
            for (const std::size_t index : match.calls)
                ranks = std::max(ranks, m_trace.collectives[index].groupSize.value_or(0));
            if (ranks == 0 && match.calls.size() == m_ranksOfJob)
                ranks = m_worldSize.value_or(0);
            return static_cast<std::uint32_t>(std::max(0, ranks));
        }

        void addMessages(std::vector<std::string> &notes, const JobControl &control)
        {
            if (m_trace.transfers.empty() || m_trace.workers.size() < 2)
                return;
            const std::unordered_set<std::uint64_t> taken = slicesOf(m_exchanges);
            for (const MatchedMessage &match : matchMessages(m_trace, notes, control)) {
                Exchange exchange;
                exchange.kind = MessageKind;
                exchange.isMessage = true;
                exchange.sequence = m_messages++;
                exchange.tensor = m_trace.transfers[match.sent].transaction;
                for (const std::size_t index : { match.sent, match.received }) {
                    const TransferCall &call = m_trace.transfers[index];
                    exchange.parts.push_back({ call.worker, call.slice, bytesOf(call.slice), {} });
                }
                if (!taken.contains(exchange.parts[0].slice.value)
                    && !taken.contains(exchange.parts[1].slice.value))
                    keep(std::move(exchange));
            }
        }

        std::uint64_t bytesOf(SliceId slice) const
        {
            const auto place = m_context.slices.find(slice);
            return place ? m_trace.slices[place->track.value].bytes[place->row] : 0;
        }

        void keep(Exchange exchange)
        {
            if (isInside(m_context, exchange))
                m_exchanges.push_back(std::move(exchange));
        }

        GraphContext &m_context;
        const Trace &m_trace;
        std::unordered_map<std::uint64_t, std::string_view> m_tensors;
        std::optional<int> m_worldSize;
        std::size_t m_ranksOfJob; ///< that are recorded
        std::vector<Exchange> m_exchanges;
        std::uint64_t m_messages = 0;
    };

} // namespace

std::vector<Exchange> findExchanges(GraphContext &context, const JobControl &control)
{
    return ExchangeFinder(context).find(control);
}

std::unordered_set<std::uint64_t> slicesOf(const std::vector<Exchange> &exchanges)
{
    std::unordered_set<std::uint64_t> slices;
    for (const Exchange &exchange : exchanges)
        for (const Exchange::Part &part : exchange.parts)
            slices.insert(part.slice.value);
    return slices;
}

} // namespace core
