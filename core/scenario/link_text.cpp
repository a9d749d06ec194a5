#include "core/scenario/link_text.h"

#include "core/base/duration_text.h"
#include "core/scenario/exact_text.h"
#include "core/scenario/transfer_obstacles.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace core {

std::string linkRateText(const LinkModel &model)
{
    std::string text = std::to_string(std::llround(model.rateMbit())) + " Mbit/s of data";
    if (model.isWithinHost || rateObstacle(model))
        return text;
    return text + "; bandwidth_mbit counts it as " + exactText(model.bandwidthMbit)
        + (model.nominalMbit ? " (nominal, as meta.json states)"
               : model.doubtedMbit > 0
               ? " (with TCP's headers; meta.json states " + exactText(model.doubtedMbit) + ")"
               : model.isHostLink ? " (with TCP's headers)"
                                  : "");
}

std::string linkLatencyText(const LinkModel &model)
{
    std::string text = durationText(std::llround(model.alphaNs)) + " latency";
    if (model.steps <= 1 || latencyObstacle(model))
        return text;
    std::ostringstream step;
    step << std::setprecision(4) << model.alphaNs / 1e3 / model.steps;
    return text + " (" + std::to_string(std::llround(model.steps))
        + " steps; latency_us counts one: " + step.str() + ")";
}

} // namespace core
