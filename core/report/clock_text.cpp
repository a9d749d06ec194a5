#include "core/report/clock_text.h"

#include "core/base/duration_text.h"
#include "core/model/clock_share.h"
#include "core/model/clocks.h"

#include <algorithm>

namespace core {

std::string clockSentence(const ProjectInfo &info)
{
    const auto clocks = clockUncertainty(info.alignment, info.tracks, info.iterations);
    if (!clocks)
        return {};
    const bool areAllSolved = std::all_of(
        info.alignment.workers.begin(), info.alignment.workers.end(),
        [&info](const Alignment &clock) {
            return clock.isReference || (clock.isKnown && !isByHand(info.byHand, clock.worker));
        });
    return std::string(areAllSolved ? "The clocks may differ by up to "
                                    : "The clocks that were solved may differ by up to ")
        + durationText(clocks->ns, 2)
        + (clocks->share() ? ", " + percentText(*clocks->share())
                   + (clocks->hasIterations ? " of the median iteration" : " of the recorded time")
                           : "")
        + '.';
}

} // namespace core
