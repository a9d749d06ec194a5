#include "core/fit/links/link_use.h"

#include "core/base/time_range.h"
#include "core/fit/links/node_shape.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace core {

namespace {

    constexpr double NsPerSec = 1e9;

    /// A transfer, or its chunk, on the device that carries it.
    struct Carried
    {
        TimeRange range;
        double bytes = 0;
    };

    /// Everything that one link carries: by the device itself or one of its ends.
    struct Carrier
    {
        std::map<DeviceId, std::vector<Carried>> byDevice;
        bool hasSizes = false;
        std::size_t transfers = 0, leftOut = 0;
    };

    /// A change of a value at a time.
    struct Change
    {
        std::int64_t timeNs;
        double by;
        int count; ///< of transfers: 1 begins, -1 ends
    };

    std::vector<Change> changesOf(const std::vector<Carried> &carried)
    {
        std::vector<Change> changes;
        changes.reserve(2 * carried.size());
        for (const Carried &one : carried) {
            changes.push_back({ one.range.startNs, 0, 1 });
            changes.push_back({ one.range.endNs, 0, -1 });
        }
        std::sort(changes.begin(), changes.end(),
                  [](const Change &a, const Change &b) { return a.timeNs < b.timeNs; });
        return changes;
    }

    /// Integral of 1 / (number of transfers under way) up to each time at which that number
    /// changes.
    class SharedWork
    {
    public:
        explicit SharedWork(const std::vector<Carried> &carried)
        {
            std::size_t underWay = 0;
            double workNs = 0;
            for (const Change &change : changesOf(carried)) {
                if (underWay > 0)
                    workNs += static_cast<double>(change.timeNs - m_until.back().first)
                        / static_cast<double>(underWay);
                m_until.emplace_back(change.timeNs, workNs);
                underWay += static_cast<std::size_t>(change.count);
            }
        }

        /// Between two of these times.
        double in(const TimeRange &range) const { return upTo(range.endNs) - upTo(range.startNs); }

    private:
        double upTo(std::int64_t ns) const
        {
            return std::lower_bound(m_until.begin(), m_until.end(), ns,
                                    [](const auto &at, std::int64_t t) { return at.first < t; })
                ->second;
        }

        std::vector<std::pair<std::int64_t, double>> m_until;
    };

    /// Steps of one device: each of n transfers under way goes at 1/n of the rate at which it would
    /// go alone.
    std::vector<UseStep> sharedSteps(const std::vector<Carried> &carried, bool isBusyShare)
    {
        const SharedWork work(carried);
        std::vector<Change> changes;
        changes.reserve(2 * carried.size());
        for (const Carried &one : carried) {
            const double rate = isBusyShare ? 1 : one.bytes / work.in(one.range) * NsPerSec;
            changes.push_back({ one.range.startNs, rate, 1 });
            changes.push_back({ one.range.endNs, -rate, -1 });
        }
        std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
            return std::tuple(a.timeNs, a.count, a.by) < std::tuple(b.timeNs, b.count, b.by);
        });
        std::vector<UseStep> steps;
        double sum = 0;
        int underWay = 0;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            sum += changes[i].by;
            underWay += changes[i].count;
            if (i + 1 < changes.size() && changes[i + 1].timeNs == changes[i].timeNs)
                continue;
            if (underWay == 0)
                sum = 0; // without the rounding of the sums before
            const double value = underWay == 0 ? 0 : std::max(0.0, sum) / underWay;
            if (steps.empty() || steps.back().value != value)
                steps.push_back({ changes[i].timeNs, value });
        }
        return steps;
    }

    /// Sum of step functions, times a factor.
    std::vector<UseStep> sumOf(const std::vector<std::vector<UseStep>> &parts, double factor)
    {
        std::vector<Change> changes;
        for (const std::vector<UseStep> &part : parts) {
            double before = 0;
            for (const UseStep &step : part) {
                const int count = (step.value > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
                changes.push_back({ step.startNs, (step.value - before) * factor, count });
                before = step.value;
            }
        }
        std::sort(changes.begin(), changes.end(),
                  [](const Change &a, const Change &b) { return a.timeNs < b.timeNs; });
        std::vector<UseStep> steps;
        double sum = 0;
        int inUse = 0;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            sum += changes[i].by;
            inUse += changes[i].count;
            if (i + 1 < changes.size() && changes[i + 1].timeNs == changes[i].timeNs)
                continue;
            if (inUse == 0)
                sum = 0;
            steps.push_back({ changes[i].timeNs, std::max(0.0, sum) });
        }
        return steps;
    }

    LinkUse useOf(DeviceId link, const Carrier &carrier, const Graph &graph)
    {
        LinkUse use;
        use.link = link;
        use.name = graph.devices[link.value].name;
        use.isBusyShare = !carrier.hasSizes;
        use.transfers = carrier.transfers;
        use.leftOut = carrier.leftOut;
        std::vector<std::vector<UseStep>> parts;
        for (const auto &[device, carried] : carrier.byDevice) {
            std::vector<Carried> counted;
            std::copy_if(carried.begin(), carried.end(), std::back_inserter(counted),
                         [&](const Carried &one) { return use.isBusyShare || one.bytes > 0; });
            parts.push_back(sharedSteps(counted, use.isBusyShare));
        }
        if (parts.size() == 1)
            use.steps = std::move(parts.front());
        else
            use.steps
                = sumOf(parts, use.isBusyShare ? 1.0 / static_cast<double>(parts.size()) : 1.0);
        return use;
    }

    using Carriers = std::map<DeviceId, Carrier>;

    /// Notes the pieces of one transfer, which share its bytes by their durations.
    void addPieces(Carriers &carriers, DeviceId link,
                   const std::vector<std::pair<DeviceId, TimeRange>> &pieces, double bytes)
    {
        std::int64_t totalNs = 0;
        for (const auto &piece : pieces)
            totalNs += piece.second.durationNs();
        Carrier &carrier = carriers[link];
        if (totalNs <= 0) {
            ++carrier.leftOut;
            return;
        }
        ++carrier.transfers;
        carrier.hasSizes = carrier.hasSizes || bytes > 0;
        for (const auto &[device, range] : pieces)
            if (range.durationNs() > 0)
                carrier.byDevice[device].push_back({ range,
                                                     bytes * static_cast<double>(range.durationNs())
                                                         / static_cast<double>(totalNs) });
    }

    /// `piecesOf` a node: where and when it was transferred.
    template <class PiecesOf>
    std::vector<LinkUse> linkUse(const Graph &graph, const Trace &trace, const PiecesOf &piecesOf,
                                 const JobControl &control)
    {
        Carriers carriers;
        std::map<DeviceId, std::size_t> unsized;
        for (const CollectiveNode &node : graph.collectives) {
            throwIfCancelled(control);
            const DeviceId link = graph.device[node.transfer.value];
            const double bytes = node.bytes > 0 ? wireBytes(node, node.bytes, trace) : 0;
            addPieces(carriers, link, piecesOf(node), bytes);
            unsized[link] += bytes > 0 ? 0 : 1;
        }
        std::vector<LinkUse> uses;
        for (auto &[link, carrier] : carriers) {
            throwIfCancelled(control);
            if (carrier.byDevice.empty())
                continue;
            if (carrier.hasSizes)
                carrier.leftOut += unsized[link];
            uses.push_back(useOf(link, carrier, graph));
        }
        return uses;
    }

} // namespace

std::vector<LinkUse> measuredLinkUse(const Graph &graph, const Trace &trace,
                                     const JobControl &control)
{
    using Pieces = std::vector<std::pair<DeviceId, TimeRange>>;
    const auto pieces = [&graph](const CollectiveNode &node) {
        return Pieces { { graph.device[node.transfer.value], measuredTransfer(graph, node) } };
    };
    return linkUse(graph, trace, pieces, control);
}

std::vector<LinkUse> replayedLinkUse(const Graph &graph, const Trace &trace,
                                     const ReplayResult &replay, std::int64_t originNs,
                                     const JobControl &control)
{
    const auto pieces = [&](const CollectiveNode &node) {
        std::vector<std::pair<DeviceId, TimeRange>> found;
        const auto add = [&](OpId op) {
            found.emplace_back(graph.device[op.value],
                               TimeRange { originNs + replay.startNs[op.value],
                                           originNs + replay.endNs[op.value] });
        };
        for (const CollectiveNode::Part &part : node.parts)
            std::for_each(part.chunks.begin(), part.chunks.end(), add);
        if (found.empty())
            add(node.transfer);
        return found;
    };
    return linkUse(graph, trace, pieces, control);
}

void addCapacities(std::vector<LinkUse> &uses, const LinkModels &links)
{
    for (LinkUse &use : uses) {
        for (const auto &[linkClass, model] : links) {
            if (linkClass.link != use.link || use.isBusyShare || model.betaNsPerByte <= 0)
                continue;
            const bool isStated = model.nominalMbit && model.lineNsPerByte > 0;
            const double rate = NsPerSec / (isStated ? model.lineNsPerByte : model.betaNsPerByte);
            if (std::tuple(use.isCapacityStated, use.capacity.value_or(0))
                < std::tuple(isStated, rate)) {
                use.capacity = rate;
                use.isCapacityStated = isStated;
            }
        }
    }
}

double integralOf(const std::vector<UseStep> &steps)
{
    double sum = 0;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i)
        sum += steps[i].value * static_cast<double>(steps[i + 1].startNs - steps[i].startNs)
            / NsPerSec;
    return sum;
}

} // namespace core
