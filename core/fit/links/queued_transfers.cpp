#include "core/fit/links/queued_transfers.h"

#include "core/base/interval_set.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace core {

namespace {

    /// Of a line that each of `count` transfers under way needs for `lineNs`.
    double idleNsOf(int count, double lineNs, double latencyNs)
    {
        if (lineNs <= 0) // nobody is ever at the line
            return latencyNs / count;
        // The odds that k are at it, to those that none is: N! / (N - k)! * (line / latency)^k.
        double odds = 1, atLine = 0;
        for (int left = count; left > 0; --left) {
            odds *= left * lineNs / latencyNs;
            atLine += odds;
        }
        return lineNs / atLine;
    }

} // namespace

double QueuedTransfers::idleNs(double lineNs) const
{
    if (latencyNs <= 0 || underWay < 1)
        return 0;
    // Between whole numbers there are now fewer and now more.
    const int fewer = static_cast<int>(underWay);
    const double more = underWay - fewer;
    return (1 - more) * idleNsOf(fewer, lineNs, latencyNs)
        + more * idleNsOf(fewer + 1, lineNs, latencyNs);
}

QueuedTransfers queuedTransfers(double underWay, double lineNs, double idleNs)
{
    constexpr int Halvings = 60;
    QueuedTransfers found { underWay, 0 };
    if (idleNs <= 0)
        return found;
    // With so long a latency the line idles longer: all of its time but what they need it for.
    double least = 0, most = std::ceil(underWay) * (lineNs + idleNs);
    for (int i = 0; i < Halvings; ++i) {
        found.latencyNs = (least + most) / 2;
        (found.idleNs(lineNs) < idleNs ? least : most) = found.latencyNs;
    }
    return found;
}

double meanUnderWay(const std::vector<UnderWay> &transfers)
{
    std::map<WorkerId, std::vector<TimeRange>> ofRanks;
    for (const UnderWay &transfer : transfers)
        ofRanks[transfer.worker].push_back(transfer.range);
    double sum = 0;
    for (const auto &[worker, ranges] : ofRanks) {
        double ns = 0;
        for (const TimeRange &range : ranges)
            ns += static_cast<double>(range.durationNs());
        const std::int64_t anyNs = IntervalSet(ranges).lengthNs();
        sum += ns / static_cast<double>(std::max<std::int64_t>(1, anyNs));
    }
    return sum / static_cast<double>(std::max<std::size_t>(1, ofRanks.size()));
}

double mostLargestUnderWay(const std::vector<UnderWay> &transfers)
{
    struct Change
    {
        std::int64_t ns;
        double bytes; ///< negative ones first: the next is handed over when one has come
    };
    std::map<WorkerId, std::vector<Change>> ofRanks;
    double largest = 0;
    for (const UnderWay &transfer : transfers) {
        largest = std::max(largest, transfer.bytes);
        if (transfer.range.isEmpty())
            continue;
        ofRanks[transfer.worker].push_back({ transfer.range.startNs, transfer.bytes });
        ofRanks[transfer.worker].push_back({ transfer.range.endNs, -transfer.bytes });
    }
    double least = std::numeric_limits<double>::max();
    for (auto &[worker, changes] : ofRanks) {
        std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
            return std::pair(a.ns, a.bytes) < std::pair(b.ns, b.bytes);
        });
        double bytes = 0, most = 0;
        for (const Change &change : changes) {
            bytes += change.bytes;
            most = std::max(most, bytes);
        }
        least = std::min(least, most);
    }
    return largest > 0 && !ofRanks.empty() ? least / largest : 0;
}

std::int64_t endsApartNs(const std::vector<UnderWay> &ranks)
{
    if (ranks.empty())
        return 0;
    const auto [first, last]
        = std::minmax_element(ranks.begin(), ranks.end(), [](const UnderWay &a, const UnderWay &b) {
              return a.range.endNs < b.range.endNs;
          });
    return last->range.endNs - first->range.endNs;
}

} // namespace core
