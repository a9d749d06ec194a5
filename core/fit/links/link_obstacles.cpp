#include "core/fit/links/link_obstacles.h"

namespace core {

std::optional<std::string> rateObstacle(const LinkModel &model)
{
    if (model.hasSizes || model.nominalMbit || model.isWithinHost)
        return {};
    return "all transfers of '" + model.group
        + "' have one size, so nothing tells how much of their time goes with their bytes. "
        + (model.doubtedMbit > 0
               ? "Correct bandwidth_mbit in meta.json, of which they had too little"
               : "State bandwidth_mbit in a meta.json beside the traces")
        + ", or scale the time of its transfers (comm_scale) instead.";
}

std::optional<std::string> statedRateObstacle(const LinkModel &model)
{
    if (model.unknownAlgorithm.empty() || model.nominalMbit || model.isWithinHost)
        return {};
    return "transfers of '" + model.group + "' took NCCL's " + model.unknownAlgorithm
        + ", so the present rate of their link is not known. Give bandwidth_scale, or state "
          "bandwidth_mbit in a meta.json beside the traces.";
}

std::optional<std::string> latencyObstacle(const LinkModel &model)
{
    if (auto obstacle = algorithmObstacle({ model }))
        return obstacle;
    // Latency shows only where transfers differ in size.
    if (model.isAlphaFitted || model.isWithinHost)
        return {};
    return "how much of the time of the transfers of '" + model.group
        + (model.hasSizes ? "' is latency does not show from their sizes"
                          : "' is latency does not show, as all have one size")
        + ". 0 is used, and the effect of another latency is not known. Record some of another "
          "size.";
}

std::optional<std::string> algorithmObstacle(const std::vector<LinkModel> &links)
{
    for (const LinkModel &model : links)
        if (!model.unknownAlgorithm.empty())
            return "transfers of '" + model.group + "' took NCCL's " + model.unknownAlgorithm
                + ", whose steps and bytes are not known here, so nothing tells what others would "
                  "cost. Record with NCCL_ALGO=Ring or Tree.";
    return {};
}

} // namespace core
