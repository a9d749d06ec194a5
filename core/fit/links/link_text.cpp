#include "core/fit/links/link_text.h"

#include "core/base/ascii_text.h"
#include "core/base/duration_text.h"
#include "core/fit/links/link_obstacles.h"
#include "core/measure/exact_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace core {

namespace {

    double inFourDigits(double value)
    {
        if (value <= 0)
            return 0;
        const double shift = 3 - std::floor(std::log10(value));
        const double scale = std::pow(10, std::abs(shift));
        return shift > 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
    }

} // namespace

std::string linkRateText(const LinkModel &model)
{
    std::string text = rateText(model.rateMbit()) + " of data";
    if (model.isWithinHost || rateObstacle(model))
        return text;
    return text + " (bandwidth_mbit=" + exactText(model.bandwidthMbit)
        + (model.nominalMbit ? " as meta.json states)"
               : model.doubtedMbit > 0
               ? " with TCP's headers; meta.json states " + exactText(model.doubtedMbit) + ")"
               : model.isHostLink ? " with TCP's headers)"
                                  : ")");
}

std::string linkLatencyText(const LinkModel &model)
{
    if (const std::string unknown = unknownLatencyText(model); !unknown.empty())
        return "latency " + unknown;
    std::string notes;
    if (model.steps > 1 && !latencyObstacle(model))
        notes = "latency_us=" + exactText(inFourDigits(model.alphaNs / 1e3 / model.steps))
            + " for each of " + std::to_string(std::llround(model.steps)) + " hops";
    if (const std::string doubt = latencyDoubtText(model); !doubt.empty())
        notes += (notes.empty() ? "" : "; ") + doubt;
    return durationText(std::llround(model.alphaNs)) + " latency"
        + (notes.empty() ? "" : " (" + notes + ")");
}

std::string latencyDoubtText(const LinkModel &model)
{
    if (!model.isAlphaUnsure())
        return {};
    return "unsure, 0 to " + durationText(std::llround(model.alphaHighNs)) + ": "
        + (model.alphaKinds > 2
               ? std::to_string(model.alphaKinds) + " transfer sizes do not tell it"
               : "two transfer sizes are too few")
        + (model.areOverlapping ? ", as transfers overlap" : "");
}

std::string unknownLatencyText(const LinkModel &model)
{
    if (model.isAlphaKnown())
        return {};
    return std::string("not known, 0 is used: ")
        + (model.hasSizes ? "the transfer sizes do not tell it" : "all transfers have one size");
}

std::vector<std::string> fittedLinkTexts(const std::vector<LinkModel> &links)
{
    constexpr std::size_t MostLinks = 3;
    std::vector<const LinkModel *> fitted;
    for (const LinkModel &link : links)
        if (link.betaNsPerByte > 0)
            fitted.push_back(&link);
    std::stable_sort(fitted.begin(), fitted.end(), [](const LinkModel *a, const LinkModel *b) {
        return a->allBytes() > b->allBytes();
    });
    std::vector<std::string> texts;
    std::size_t transfers = 0;
    double slowest = 0, fastest = 0; // of those that are not named
    for (std::size_t i = 0; i < fitted.size(); ++i) {
        const LinkModel &link = *fitted[i];
        if (i < MostLinks) {
            texts.push_back("Link '" + link.group + "', fitted from "
                            + countText(link.transfers, "transfer") + ": " + linkLatencyText(link)
                            + ", " + linkRateText(link) + ".");
            continue;
        }
        transfers += link.transfers;
        slowest = i == MostLinks ? link.rateMbit() : std::min(slowest, link.rateMbit());
        fastest = std::max(fastest, link.rateMbit());
    }
    if (fitted.size() > MostLinks)
        texts.push_back(countText(fitted.size() - MostLinks, "more link") + ", fitted from "
                        + countText(transfers, "transfer") + ": " + rateText(slowest) + " to "
                        + rateText(fastest) + " of data.");
    return texts;
}

std::string linkAlgorithmText(const LinkModel &model)
{
    std::string text = model.statedAlgorithms.empty() ? "" : model.statedAlgorithms + ", as stated";
    const auto add = [&](const std::string &what, std::size_t transfers) {
        text += (text.empty() ? "" : "; ")
            + (transfers == model.transfers ? "" : std::to_string(transfers) + " of them ") + what;
    };
    for (const auto &[name, transfers] : model.chosenAlgorithms)
        add(lowered(name) + " by NCCL's rule", transfers);
    if (!model.choiceAssumes.empty())
        text += " (assumed: " + model.choiceAssumes + ")";
    if (model.assumedRings > 0)
        add("assumed to be rings: the trace does not state the algorithm"
                + (model.noChoice.empty() ? "" : " (" + model.noChoice + ")"),
            model.assumedRings);
    return text;
}

} // namespace core
