#include "core/change/schedules/us_byte.h"

#include <queue>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

namespace core {

namespace {

    /// One iteration on the link.
    class LinkTimes
    {
    public:
        explicit LinkTimes(const LayerChain &chain)
            : m_chain(chain)
            , m_leftBytes(chain.bytes)
            , m_endNs(chain.bytes.size(), 0)
            , m_readyNs(chain.bytes.size())
        {
            double ns = 0;
            for (std::size_t layer = m_readyNs.size(); layer-- > 0;)
                m_readyNs[layer] = ns += chain.backwardNs[layer];
        }

        double nowNs() const { return m_nowNs; }
        double readyNs(std::size_t layer) const { return m_readyNs[layer]; }
        double leftBytes(std::size_t layer) const { return m_leftBytes[layer]; }
        double endNs(std::size_t layer) const { return m_endNs[layer]; }
        void waitUntil(double ns) { m_nowNs = std::max(m_nowNs, ns); }

        /// Alpha, unless the link goes on with the same layer.
        double latencyNs(std::size_t layer) const { return isGoingOn(layer) ? 0 : m_chain.alphaNs; }

        void send(std::size_t layer, double bytes)
        {
            const bool isSameMessage = isGoingOn(layer);
            m_nowNs += latencyNs(layer) + m_chain.nsPerByte * bytes;
            if (isSameMessage)
                m_messages.back().bytes += bytes;
            else
                m_messages.push_back({ layer, bytes });
            m_leftBytes[layer] = std::max(0.0, m_leftBytes[layer] - bytes);
            m_endNs[layer] = m_lastEndNs = m_nowNs;
        }

        UsByteSchedule schedule() &&
        {
            double ns = m_readyNs.empty() ? 0 : m_readyNs.front();
            for (std::size_t layer = 0; layer < m_readyNs.size(); ++layer)
                ns = std::max(ns, m_endNs[layer]) + m_chain.forwardNs[layer];
            return { std::move(m_messages), ns };
        }

    private:
        bool isGoingOn(std::size_t layer) const
        {
            return !m_messages.empty() && m_messages.back().layer == layer
                && m_nowNs == m_lastEndNs;
        }

        const LayerChain &m_chain;
        std::vector<double> m_leftBytes, m_endNs, m_readyNs; ///< [layers]
        std::vector<BlockMessage> m_messages;
        double m_nowNs = 0, m_lastEndNs = 0;
    };

    /// What of a layer is sent in the time until the next gradient is ready.
    double bytesWithin(double slackNs, std::size_t layer, const LinkTimes &link,
                       const LayerChain &chain)
    {
        const double leftBytes = link.leftBytes(layer);
        const double latencyNs = link.latencyNs(layer);
        if (slackNs >= latencyNs + chain.nsPerByte * leftBytes)
            return leftBytes;
        const double blocks = slackNs <= latencyNs
            ? 1
            : std::max(1.0,
                       std::ceil((slackNs - latencyNs) / (chain.nsPerByte * chain.blockBytes)));
        return std::min(leftBytes, blocks * chain.blockBytes);
    }

    /// Ready layers of which something is left, the most urgent first.
    class WaitingLayers
    {
    public:
        explicit WaitingLayers(const std::vector<std::size_t> &order)
            : m_order(order)
            , m_places(order.size())
        {
            for (std::size_t place = 0; place < order.size(); ++place)
                m_places[order[place]] = place;
        }

        void add(std::size_t layer) { m_waiting.push(m_places[layer]); }
        /// Forgets those that are sent.
        std::optional<std::size_t> mostUrgent(const LinkTimes &link)
        {
            while (!m_waiting.empty() && link.leftBytes(m_order[m_waiting.top()]) <= 0)
                m_waiting.pop();
            return m_waiting.empty() ? std::nullopt : std::optional(m_order[m_waiting.top()]);
        }

    private:
        const std::vector<std::size_t> &m_order;
        std::vector<std::size_t> m_places; ///< by layer
        std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> m_waiting;
    };

    /// Phase 1, until the last gradient is ready.
    void sendInBackwardPass(const LayerChain &chain, const std::vector<std::size_t> &order,
                            LinkTimes &link)
    {
        WaitingLayers waiting(order);
        std::size_t first = chain.bytes.size(); // the layers below it are not ready
        for (;;) {
            while (first > 0 && link.readyNs(first - 1) <= link.nowNs())
                waiting.add(--first);
            if (first == 0)
                return;
            const double nextNs = link.readyNs(first - 1);
            const auto layer = waiting.mostUrgent(link);
            if (!layer)
                link.waitUntil(nextNs);
            else
                link.send(*layer, bytesWithin(nextNs - link.nowNs(), *layer, link, chain));
        }
    }

    struct Timed
    {
        UsByteSchedule schedule;
        std::vector<double> endNs; ///< [layers]; of its last byte
    };

    Timed timed(const LayerChain &chain, const std::vector<std::size_t> &order)
    {
        LinkTimes link(chain);
        sendInBackwardPass(chain, order, link);
        Timed result;
        for (std::size_t layer = 0; layer < chain.bytes.size(); ++layer)
            if (link.leftBytes(layer) > 0)
                link.send(layer, link.leftBytes(layer));
        for (std::size_t layer = 0; layer < chain.bytes.size(); ++layer)
            result.endNs.push_back(link.endNs(layer));
        result.schedule = std::move(link).schedule();
        return result;
    }

    /// The layer whose backward pass is under way then; none: the last layer's number or more.
    std::size_t layerInBackwardPass(const LayerChain &chain, double atNs)
    {
        double ns = 0;
        for (std::size_t layer = chain.bytes.size(); layer-- > 0;) {
            ns += chain.backwardNs[layer];
            if (atNs <= ns)
                return layer;
        }
        return chain.bytes.size();
    }

} // namespace

UsByteSchedule usByteSchedule(const LayerChain &chain, const std::vector<std::size_t> &order)
{
    return timed(chain, order).schedule;
}

UsByteSchedule usByte(const LayerChain &chain, const JobControl &control)
{
    std::vector<std::size_t> order(chain.bytes.size());
    std::iota(order.begin(), order.end(), std::size_t { 0 });
    Timed best = timed(chain, order);
    for (std::size_t layer = order.size(); layer-- > 0;) {
        throwIfCancelled(control);
        control.report(1 - static_cast<double>(layer + 1) / static_cast<double>(order.size()),
                       "schedule");
        const std::size_t target = layerInBackwardPass(chain, best.endNs[layer]);
        if (target >= layer)
            continue;
        std::vector<std::size_t> moved = order;
        moved.erase(std::find(moved.begin(), moved.end(), layer));
        moved.insert(std::find(moved.begin(), moved.end(), target), layer);
        Timed other = timed(chain, moved);
        if (other.schedule.iterationNs < best.schedule.iterationNs) {
            best = std::move(other);
            order = std::move(moved);
        }
    }
    UsByteSchedule whole = wholeLayers(chain);
    return whole.iterationNs < best.schedule.iterationNs ? whole : best.schedule;
}

UsByteSchedule wholeLayers(const LayerChain &chain)
{
    LinkTimes link(chain);
    for (std::size_t layer = chain.bytes.size(); layer-- > 0;) {
        link.waitUntil(link.readyNs(layer));
        link.send(layer, chain.bytes[layer]);
    }
    return std::move(link).schedule();
}

} // namespace core
