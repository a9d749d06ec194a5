#include "core/graph/framework/tensor_ops.h"

#include "core/model/gradient_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace core {

namespace {

    constexpr std::string_view WaitPrefix = "wait for ";

    constexpr std::size_t MostWords = 8; ///< of a name, before the tensor

    /// The tensor that a name such as "UPDATE fc.weight" is about; empty if it is none.
    std::string_view tensorIn(std::string_view name,
                              const std::unordered_set<std::string_view> &tensors)
    {
        std::size_t words = 0;
        for (auto space = name.find(' '); space != std::string_view::npos && ++words <= MostWords;
             space = name.find(' ', space + 1)) {
            const auto tensor = tensors.find(name.substr(space + 1));
            if (tensor != tensors.end())
                return *tensor;
        }
        return {};
    }

} // namespace

bool isWaitingName(std::string_view name)
{
    return name.starts_with(WaitPrefix);
}

std::string_view awaitedName(std::string_view name)
{
    return isWaitingName(name) ? name.substr(WaitPrefix.size()) : std::string_view();
}

TensorOps::TensorOps(const GraphContext &context, const std::vector<Exchange> &exchanges)
    : m_context(context)
{
    std::unordered_set<std::string_view> tensors;
    for (const Exchange &exchange : exchanges)
        if (!exchange.tensor.empty())
            tensors.insert(exchange.tensor);
    if (tensors.empty())
        return;
    std::unordered_map<NameId, std::string_view> tensorOf;
    for (std::uint32_t i = 0; i < context.trace.names.size(); ++i) {
        const std::string_view name = context.trace.names[i];
        if (const std::string_view tensor = tensorIn(name, tensors);
            !tensor.empty() && !isWaitingName(name))
            tensorOf.emplace(NameId(i), tensor);
    }
    for (std::uint32_t w = 0; w < context.workers.size(); ++w)
        for (const std::vector<OpId> &thread : context.workers[w].threads)
            for (const OpId op : thread)
                if (const auto tensor = tensorOf.find(context.builder.op(op).name);
                    tensor != tensorOf.end()) {
                    m_ops[{ WorkerId(w), tensor->second }].push_back(op);
                    m_known.insert(op);
                }
    for (auto &entry : m_ops)
        std::stable_sort(entry.second.begin(), entry.second.end(), [&context](OpId a, OpId b) {
            return context.measuredEndNs[a.value] < context.measuredEndNs[b.value];
        });
}

const std::vector<OpId> &TensorOps::of(WorkerId worker, std::string_view tensor) const
{
    static const std::vector<OpId> none;
    const auto found = m_ops.find({ worker, tensor });
    return found == m_ops.end() ? none : found->second;
}

std::optional<OpId> TensorOps::lastBy(WorkerId worker, std::string_view tensor, std::int64_t ns,
                                      std::int64_t startNs) const
{
    const std::vector<OpId> &ops = of(worker, tensor);
    auto next = std::partition_point(ops.begin(), ops.end(), [&](OpId op) {
        return m_context.measuredEndNs[op.value] <= ns + ClockRoundingNs;
    });
    while (next != ops.begin()) {
        --next;
        if (m_context.builder.op(*next).measuredStartNs < startNs)
            return *next;
    }
    return std::nullopt;
}

Producers::Producers(const GraphContext &context, const std::vector<Exchange> &exchanges,
                     const TensorOps &tensorOps)
    : m_context(context)
{
    addGradients(exchanges);
    addUpdates(exchanges, tensorOps);
}

std::optional<OpId> Producers::of(SliceId slice) const
{
    const auto found = m_producers.find(slice.value);
    return found == m_producers.end() ? std::nullopt : std::optional(found->second);
}

void Producers::addUpdates(const std::vector<Exchange> &exchanges, const TensorOps &tensorOps)
{
    for (const Exchange &exchange : exchanges) {
        if (!exchange.isMessage || exchange.tensor.empty())
            continue;
        const Exchange::Part &sender = exchange.parts.front();
        const std::int64_t startNs
            = m_context.trace.toAligned(sender.worker, m_context.slices.startNs(sender.slice));
        if (const auto update = tensorOps.lastBy(sender.worker, exchange.tensor, startNs, startNs))
            m_producers[sender.slice.value] = *update;
    }
}

void Producers::addGradients(const std::vector<Exchange> &exchanges)
{
    using Place = std::pair<WorkerId, std::int32_t>; // worker, iteration
    struct Send
    {
        std::int64_t startNs;
        SliceId slice;
        bool operator<(const Send &other) const { return startNs < other.startNs; }
    };
    std::map<Place, std::vector<Send>> sends;
    for (const Exchange &exchange : exchanges) {
        if (!exchange.isMessage)
            continue;
        const Exchange::Part &sender = exchange.parts.front();
        const std::int64_t startNs
            = m_context.trace.toAligned(sender.worker, m_context.slices.startNs(sender.slice));
        sends[{ sender.worker, m_context.iterationAt(sender.worker, startNs) }].push_back(
            { startNs, sender.slice });
    }
    std::map<Place, std::vector<OpId>> gradients;
    for (std::uint32_t w = 0; !sends.empty() && w < m_context.workers.size(); ++w)
        for (const std::vector<OpId> &thread : m_context.workers[w].threads)
            for (const OpId op : thread)
                if (isGradientOp(m_context.trace.nameOf(m_context.builder.op(op).name)))
                    gradients[{ WorkerId(w), m_context.builder.op(op).iteration }].push_back(op);
    for (auto &[place, list] : sends) {
        const auto found = gradients.find(place);
        if (found == gradients.end() || found->second.size() != list.size())
            continue;
        std::stable_sort(list.begin(), list.end());
        for (std::size_t k = 0; k < list.size(); ++k)
            if (m_context.measuredEndNs[found->second[k].value]
                <= list[k].startNs + ClockRoundingNs)
                m_producers[list[k].slice.value] = found->second[k];
    }
}

} // namespace core
