#include "core/predict/prediction.h"

#include <algorithm>

namespace core {

std::vector<OpId> iterationPath(const Prediction &result, std::size_t i)
{
    const auto slowest
        = std::max_element(result.iterations.begin(), result.iterations.end(),
                           [i](const ReplayedIterations &a, const ReplayedIterations &b) {
                               return a.periodNs[i] < b.periodNs[i];
                           });
    std::vector<OpId> path;
    if (slowest == result.iterations.end())
        return path;
    const ReplayResult &replay = *result.replay;
    // Accelerators may end it later than the host by as much as in the unchanged job.
    const OpId last = slowest->lastOp[i];
    const std::int64_t beginNs = replay.endNs[last.value] - slowest->periodNs[i];
    for (OpId op = last; op != NoOp && replay.endNs[op.value] > beginNs;
         op = replay.cause[op.value].op)
        path.push_back(op);
    std::reverse(path.begin(), path.end());
    return path;
}

} // namespace core
