#include "core/model/broken_off_iterations.h"

#include <algorithm>
#include <vector>

namespace core {

namespace {

    /// A last iteration breaks off if nothing begins in more than this part of it at its end, and
    /// in more than OddFactor times of what is usual for the worker.
    constexpr double SmallestLoss = 0.1, OddFactor = 3;

    /// The last start of any slice inside of each iteration, raw clock; the iteration's own start
    /// (where its mark is) if there is none.
    std::vector<std::int64_t> lastStarts(const Trace &trace)
    {
        std::vector<std::int64_t> last;
        std::vector<std::size_t> firstOf(trace.workers.size() + 1, trace.iterations.size());
        for (std::size_t i = trace.iterations.size(); i-- > 0;)
            firstOf[trace.iterations[i].worker.value] = i;
        for (std::size_t w = trace.workers.size(); w-- > 0;)
            firstOf[w] = std::min(firstOf[w], firstOf[w + 1]);
        for (const Iteration &iteration : trace.iterations)
            last.push_back(iteration.range.startNs);
        for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
            const std::size_t worker = trace.tracks[t].worker.value;
            const auto begin
                = trace.iterations.begin() + static_cast<std::ptrdiff_t>(firstOf[worker]);
            const auto end
                = trace.iterations.begin() + static_cast<std::ptrdiff_t>(firstOf[worker + 1]);
            for (const std::int64_t startNs : trace.slices[t].startNs) {
                const auto next = std::partition_point(begin, end, [startNs](const Iteration &it) {
                    return it.range.startNs <= startNs;
                });
                if (next == begin || (next - 1)->range.endNs < startNs)
                    continue;
                std::int64_t &known
                    = last[static_cast<std::size_t>(next - 1 - trace.iterations.begin())];
                known = std::max(known, startNs);
            }
        }
        return last;
    }

    double lossOf(const Iteration &iteration, std::int64_t lastStartNs)
    {
        return static_cast<double>(iteration.range.endNs - lastStartNs)
            / static_cast<double>(std::max<std::int64_t>(1, iteration.range.durationNs()));
    }

} // namespace

std::set<std::size_t> brokenOffIterations(const Trace &trace)
{
    const std::vector<std::int64_t> starts = lastStarts(trace);
    std::set<std::size_t> broken;
    double usual = 0;
    for (std::size_t i = 0; i < trace.iterations.size(); ++i) {
        const Iteration &iteration = trace.iterations[i];
        const bool isFirst = i == 0 || trace.iterations[i - 1].worker != iteration.worker;
        const bool isLast = i + 1 == trace.iterations.size()
            || trace.iterations[i + 1].worker != iteration.worker;
        const double loss = lossOf(iteration, starts[i]);
        if (isFirst)
            usual = 0;
        if (isLast && !isFirst && loss > SmallestLoss && loss > OddFactor * usual)
            broken.insert(i);
        usual = std::max(usual, loss);
    }
    return broken;
}

} // namespace core
