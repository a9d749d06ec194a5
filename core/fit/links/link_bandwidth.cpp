#include "core/fit/links/link_bandwidth.h"

#include "core/base/duration_text.h"
#include "core/measure/exact_text.h"

#include <cmath>
#include <map>
#include <optional>

namespace core {

namespace {

    /// Of TCP's payload at the stated rate. Gloo on cores that have to compute, too, gives its
    /// transfers 83 % of it and more; a link that has agreed on the next lower speed of Ethernet
    /// has at most 40 % (1 instead of 2.5, 10 instead of 25 Gbit/s; IEEE 802.3).
    constexpr double LeastShare = 2.0 / 3;

    /// On the wire of a rank: below that a transfer whose latency is not known may be little else.
    /// From about 1 MB on collectives run at their link's rate (Thakur, Rabenseifner, Gropp, IJHPCA
    /// 2005, section 4).
    constexpr double LargeBytes = 1 << 20;

    /// All of a CPU backend's transfers are on the hosts' one network; other links are networks of
    /// their own.
    std::optional<DeviceId> networkOf(const LinkClass &link, const LinkModel &model)
    {
        return model.isHostLink ? std::nullopt : std::optional(link.link);
    }

} // namespace

double tcpNsPerByte(double nominalMbit)
{
    return 8e3 / (nominalMbit * TcpPayloadShare);
}

double derivedBandwidthMbit(const LinkModel &model)
{
    constexpr double Whole = 100; // Mbit/s; of less, three digits
    const double mbit = model.rateMbit() / (model.isHostLink ? TcpPayloadShare : 1);
    if (mbit <= 0 || !std::isfinite(mbit))
        return 0;
    if (mbit >= Whole)
        return std::round(mbit);
    // A quotient is the nearest double to the decimal number that is shown; a product need not be.
    const double scale = std::pow(10, 2 - std::floor(std::log10(mbit)));
    return std::round(mbit * scale) / scale;
}

void setBandwidths(LinkModels &models)
{
    std::map<std::optional<DeviceId>, const LinkModel *> largest;
    for (const auto &[key, model] : models) {
        if (model.isWithinHost)
            continue;
        const LinkModel *&known = largest[networkOf(key, model)];
        if (known == nullptr || model.allBytes() > known->allBytes())
            known = &model;
    }
    for (auto &[key, model] : models) {
        const LinkModel &like = model.isWithinHost ? model : *largest[networkOf(key, model)];
        model.bandwidthMbit = model.nominalMbit.value_or(derivedBandwidthMbit(like));
    }
}

bool contradicts(const LinkModels &links, double statedMbit)
{
    const LinkModel *largest = nullptr;
    for (const auto &[key, model] : links) {
        if (!model.isHostLink || model.isWithinHost)
            continue;
        if (model.unseenWaitNs > 0)
            return false;
        if (largest == nullptr || model.allBytes() > largest->allBytes())
            largest = &model;
    }
    return largest != nullptr && (largest->isAlphaFitted || largest->meanBytes >= LargeBytes)
        && tcpNsPerByte(statedMbit) < LeastShare * largest->betaNsPerByte;
}

const LinkModel *doubtedLink(const std::vector<LinkModel> &links)
{
    const LinkModel *found = nullptr;
    for (const LinkModel &model : links)
        if (model.doubtedMbit > 0 && (found == nullptr || model.allBytes() > found->allBytes()))
            found = &model;
    return found;
}

std::string keptRateText(const LinkModel &model, const std::vector<LinkModel> &links)
{
    const auto isSlow = [](const LinkModel &one) {
        return tcpNsPerByte(*one.nominalMbit) < LeastShare * one.betaNsPerByte;
    };
    const auto isOnNetwork = [](const LinkModel &one) {
        return one.nominalMbit && one.isHostLink && !one.isWithinHost;
    };
    if (!isOnNetwork(model) || !isSlow(model))
        return {};
    const LinkModel *largest = &model;
    bool hasUnseen = false;
    for (const LinkModel &one : links) {
        if (!isOnNetwork(one))
            continue;
        hasUnseen = hasUnseen || one.unseenWaitNs > 0;
        if (one.allBytes() > largest->allBytes())
            largest = &one;
    }
    const std::string text = exactText(*model.nominalMbit) + " Mbit/s count although these had "
        + nominalRateText(model.rateMbit()) + ": ";
    if (!isSlow(*largest))
        return text + "'" + largest->group + "', with more bytes, had "
            + nominalRateText(largest->rateMbit());
    if (hasUnseen)
        return text + "the rest may be waiting for ranks without a recording";
    if (!largest->isAlphaFitted && largest->meanBytes < LargeBytes)
        return text + "the rest of such small transfers may be latency";
    return text + "meta.json states the rate of each rank's link";
}

std::string doubtText(const LinkModel &model)
{
    const double mbit = model.rateMbit();
    return "Transfers had " + std::to_string(std::llround(mbit)) + " of the "
        + exactText(model.doubtedMbit) + " Mbit/s that meta.json states ("
        + std::to_string(std::llround(100 * mbit / model.doubtedMbit)) + " %)";
}

std::string doubtReason(const LinkModel &model)
{
    return doubtText(model)
        + ": a link is slower than stated, or the hosts cannot drive it. The measured rate is "
          "counted on, and intervals of what-ifs that change links hold the stated one, too. "
          "Correct meta.json where it is wrong (link_mbit: a rate for each rank).";
}

} // namespace core
