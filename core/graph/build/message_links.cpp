#include "core/graph/build/message_links.h"

#include <algorithm>
#include <tuple>

namespace core {

namespace {

    constexpr double LeastShareOfTime = 0.5; ///< of what a message's bytes take at the fastest

    TimeRange partRange(const GraphContext &context, const Exchange::Part &part)
    {
        return { context.trace.toAligned(part.worker, context.slices.startNs(part.slice)),
                 context.trace.toAligned(part.worker, context.slices.endNs(part.slice)) };
    }

    TimeRange messageRange(const GraphContext &context, const Exchange &message)
    {
        const TimeRange sent = partRange(context, message.parts[0]);
        const TimeRange received = partRange(context, message.parts[1]);
        const std::int64_t startNs = std::max(sent.startNs, received.startNs);
        return { startNs, std::max(startNs, received.endNs) };
    }

    std::uint64_t payload(const Exchange &message)
    {
        return std::max(message.parts[0].bytes, message.parts[1].bytes);
    }

    /// The least time that a byte took among the larger quarter of the messages, where waiting
    /// counts little.
    double fastestNsPerByte(const std::vector<Exchange> &exchanges,
                            const std::vector<MessageTime> &times)
    {
        std::vector<std::pair<std::uint64_t, std::size_t>> bySize;
        for (std::size_t i = 0; i < exchanges.size(); ++i)
            if (exchanges[i].isMessage && payload(exchanges[i]) > 0 && !times[i].range.isEmpty())
                bySize.push_back({ payload(exchanges[i]), i });
        std::sort(bySize.rbegin(), bySize.rend());
        bySize.resize((bySize.size() + 3) / 4);
        double fastest = 0;
        for (const auto &[bytes, i] : bySize) {
            const double nsPerByte
                = static_cast<double>(times[i].range.durationNs()) / static_cast<double>(bytes);
            fastest = fastest == 0 ? nsPerByte : std::min(fastest, nsPerByte);
        }
        return fastest;
    }

    using Direction = std::pair<WorkerId, WorkerId>; // from, to

    Direction directionOf(const Exchange &message)
    {
        return { message.parts[0].worker, message.parts[1].worker };
    }

} // namespace

MessageLinks::MessageLinks(const GraphContext &context, const std::vector<Exchange> &exchanges)
    : m_context(context)
{
    for (const Exchange &exchange : exchanges) {
        if (!exchange.isMessage)
            continue;
        const auto [from, to] = directionOf(exchange);
        m_senders[to].insert(from);
        m_receivers[from].insert(to);
    }
}

std::string MessageLinks::nameOf(const Exchange &message) const
{
    const auto [from, to] = directionOf(message);
    const auto rank
        = [this](WorkerId w) { return std::to_string(m_context.trace.workers[w.value].rank); };
    const std::size_t senders = m_senders.at(to).size(), receivers = m_receivers.at(from).size();
    if (senders > receivers)
        return "network into rank " + rank(to);
    if (receivers > senders)
        return "network out of rank " + rank(from);
    return "network from rank " + rank(from) + " to rank " + rank(to);
}

std::vector<MessageTime> messageTimes(const GraphContext &context,
                                      const std::vector<Exchange> &exchanges)
{
    std::vector<MessageTime> times(exchanges.size());
    std::map<Direction, std::vector<std::size_t>> byDirection;
    for (std::size_t i = 0; i < exchanges.size(); ++i)
        if (exchanges[i].isMessage) {
            times[i].range = messageRange(context, exchanges[i]);
            byDirection[directionOf(exchanges[i])].push_back(i);
        }
    const double fastest = fastestNsPerByte(exchanges, times);
    const std::vector<MessageTime> asRecorded = times;
    for (auto &entry : byDirection)
        std::stable_sort(entry.second.begin(), entry.second.end(),
                         [&asRecorded](std::size_t a, std::size_t b) {
                             return asRecorded[a].range.startNs < asRecorded[b].range.startNs;
                         });
    for (const auto &[direction, messages] : byDirection) {
        const auto opposite = byDirection.find({ direction.second, direction.first });
        if (opposite == byDirection.end())
            continue;
        for (const std::size_t i : messages) {
            TimeRange &range = times[i].range;
            const auto next = std::partition_point(
                opposite->second.begin(), opposite->second.end(), [&](std::size_t other) {
                    return asRecorded[other].range.startNs <= range.startNs;
                });
            if (next == opposite->second.begin())
                continue;
            const std::int64_t heldUntilNs = asRecorded[*(next - 1)].range.endNs;
            const auto leftNs = static_cast<double>(range.endNs - heldUntilNs);
            if (heldUntilNs <= range.startNs || leftNs <= 0
                || leftNs < LeastShareOfTime * fastest * static_cast<double>(payload(exchanges[i])))
                continue;
            range.startNs = heldUntilNs;
            times[i].heldBy = *(next - 1);
        }
    }
    return times;
}

} // namespace core
