#include "core/fit/links/link_readings.h"

#include "core/fit/links/link_bandwidth.h"

#include <algorithm>

namespace core {

namespace {

    /// A nominal rate that is derived from the fitted one moves with it; so does what a queue's
    /// transfers wait for.
    void setCost(LinkModel &model, double alphaNs, double nsPerByte)
    {
        if (!model.nominalMbit && nsPerByte > 0)
            model.bandwidthMbit *= model.betaNsPerByte / nsPerByte;
        model.alphaNs = alphaNs;
        model.betaNsPerByte = nsPerByte;
        if (model.queue.underWay == 0)
            return;
        const double lineNs = model.lineNsPerByte * model.meanBytes;
        model.queue = queuedTransfers(model.queue.underWay, lineNs,
                                      alphaNs + nsPerByte * model.meanBytes - lineNs);
    }

    LinkModels withHighBeta(LinkModels links)
    {
        for (auto &[key, model] : links)
            setCost(model, model.alphaNs, model.betaHigh);
        return links;
    }

    /// The other reading of the same transfers: no alpha, all of their time spent on bytes.
    LinkModels withoutAlpha(LinkModels links)
    {
        for (auto &[key, model] : links) {
            setCost(model, 0, model.pooledBetaNsPerByte);
            model.latencyGrowth = 1;
            model.steadyLatencyNs = 0;
        }
        return links;
    }

    /// Latency at the end of its interval, and bytes that are as much faster: as long together on
    /// average. At least a tenth is bytes' time.
    LinkModels withHighAlpha(LinkModels links)
    {
        for (auto &[key, model] : links) {
            if (model.alphaHighNs <= model.alphaNs || model.meanBytes <= 0)
                continue;
            const double moreNs = std::min(model.alphaHighNs - model.alphaNs,
                                           0.9 * model.betaNsPerByte * model.meanBytes);
            setCost(model, model.alphaNs + moreNs, model.betaNsPerByte - moreNs / model.meanBytes);
        }
        return links;
    }

    /// Others use the line while a partition is handed over.
    LinkModels withoutHandOver(LinkModels links)
    {
        for (auto &[key, model] : links)
            model.handOverNs = 0;
        return links;
    }

    bool isAnyUnseen(const LinkModels &links)
    {
        return std::any_of(links.begin(), links.end(),
                           [](const auto &entry) { return entry.second.unseenWaitNs > 0; });
    }

    /// A part of each transfer is waiting for a rank without a recording: `isKept`, as long with
    /// every other transfer, else only where those transfers were. At least a tenth is bytes' time.
    LinkModels withUnseenWait(LinkModels links, bool isKept)
    {
        for (auto &[key, model] : links)
            if (model.unseenWaitNs > 0 && model.meanBytes > 0) {
                const double waitNs
                    = std::min(model.unseenWaitNs, 0.9 * model.betaNsPerByte * model.meanBytes);
                setCost(model, isKept ? model.alphaNs + waitNs : 0,
                        model.betaNsPerByte - waitNs / model.meanBytes);
            }
        return links;
    }

    /// What a transfer takes beyond its line's time goes with the line's rate, too.
    LinkModels withoutHosts(LinkModels links)
    {
        for (auto &[key, model] : links) {
            model.lineNsPerByte = 0;
            model.queue = {};
            model.isQueued = false;
        }
        return links;
    }

    /// Others do not use the line while a queue's transfer waits for its peers.
    LinkModels withOneUnderWay(LinkModels links)
    {
        for (auto &[key, model] : links)
            if (model.isQueued) {
                const double lineNs = model.lineNsPerByte * model.meanBytes;
                model.queue = queuedTransfers(1, lineNs, model.queue.idleNs(lineNs));
            }
        return links;
    }

    /// Where the transfers do not tell alpha, all of their time goes with bytes, or those go as
    /// fast as TCP can at most, and the rest is alpha.
    LinkModels withFastestBytes(LinkModels links)
    {
        for (auto &[key, model] : links) {
            if (!model.isHostLink || !model.nominalMbit || model.isAlphaFitted)
                continue;
            const double nsPerByte = tcpNsPerByte(*model.nominalMbit);
            setCost(model, std::max(0.0, model.pooledBetaNsPerByte - nsPerByte) * model.meanBytes,
                    std::min(model.betaNsPerByte, nsPerByte));
        }
        return links;
    }

    /// The share of its nominal rate that a CPU backend's link gave its transfers need not be that
    /// of another rate: the variant gives it what TCP can reach at most.
    LinkModels withWholePayload(LinkModels links)
    {
        for (auto &[key, model] : links)
            if (model.isHostLink && model.nominalMbit && !model.isQueued) {
                // No line carries more data than its rate, however the fit reads.
                const double mostMbit = *model.nominalMbit / TcpPayloadShare;
                model.nominalMbit.reset();
                model.bandwidthMbit = std::min(mostMbit, derivedBandwidthMbit(model));
                model.lineNsPerByte = 0;
                model.queue = {};
                model.hasSizes = true; // that time goes with bytes is still known
            }
        return links;
    }

    /// The stated rate is the line's, though the transfers had far less: what they take beyond it
    /// is then the hosts' own.
    LinkModels withStatedRate(LinkModels links)
    {
        for (auto &[key, model] : links)
            if (model.doubtedMbit > 0) {
                model.nominalMbit = model.bandwidthMbit = model.doubtedMbit;
                model.lineNsPerByte = tcpNsPerByte(model.doubtedMbit);
            }
        return links;
    }

} // namespace

std::vector<LinkModels> otherReadings(const LinkModels &links)
{
    std::vector<LinkModels> readings = {
        withHighBeta(links),     withoutAlpha(links),     withHighAlpha(links),
        withFastestBytes(links), withWholePayload(links), withoutHosts(links),
        withOneUnderWay(links),  withoutHandOver(links),  withStatedRate(links),
    };
    if (isAnyUnseen(links)) {
        readings.push_back(withUnseenWait(links, true));
        readings.push_back(withUnseenWait(links, false));
    }
    return readings;
}

LinkModels withLatencyOfAllSizes(LinkModels links)
{
    for (auto &[key, model] : links)
        model.latencyGrowth = 0;
    return links;
}

LinkModels withoutPipelining(LinkModels links)
{
    for (auto &[key, model] : links) {
        model.isPipelined = false;
        setCost(model, model.alphaHighNs, model.betaNsPerByte);
    }
    return links;
}

} // namespace core
