#pragma once

#include "core/base/time_range.h"
#include "core/model/ids.h"

#include <cstdint>
#include <vector>

namespace core {

/// A program with a queue of its own (P3, ByteScheduler) hands over the next transfer when one has
/// come, so about as many are under way whenever any is. Each of them now waits for its peers and
/// now needs the line for its bytes, which it shares with the others. That is a closed network of
/// two stations, a delay and a shared server (the machine repairman; Reiser and Lavenberg, "Mean-
/// value analysis of closed multichain queuing networks", JACM 1980, with exponential times): the
/// line idles only while all of them wait at once.
struct QueuedTransfers
{
    double underWay = 0; ///< at once, mean while any is, from 1; 0: transfers wait in no queue
    double latencyNs = 0; ///< what one waits for its peers, whatever the line's rate

    /// How long the line idles for each that needs it for `lineNs`: with one under way latencyNs,
    /// with more the less, the slower the line is.
    double idleNs(double lineNs) const;

    bool operator==(const QueuedTransfers &) const = default;
};

/// With the latency by which the line idles for `idleNs`; 0 where that is not positive.
QueuedTransfers queuedTransfers(double underWay, double lineNs, double idleNs);

/// When a rank had a transfer under way.
struct UnderWay
{
    WorkerId worker;
    TimeRange range;
    double bytes = 0;
};

/// Number of transfers that a rank has under way while it has any, mean of all ranks. A program's
/// credit counts them, also before other ranks begin theirs. 0 without transfers.
double meanUnderWay(const std::vector<UnderWay> &transfers);

/// The most bytes that a rank has under way at once in transfers of the largest size, of the rank
/// with fewest: the program's credit for them. A credit holds more small transfers, but a backend
/// works on no more of them at a time. 0 without transfers.
double mostLargestUnderWay(const std::vector<UnderWay> &transfers);

/// Byte-weighted mean transfer size, sum(b^2)/sum(b): a transfer mostly waits behind large ones.
/// `bytes` and `squares` are these sums.
inline double typicalBytes(double bytes, double squares)
{
    return bytes > 0 ? squares / bytes : 0;
}

/// Time from the first rank's end to the last rank's; 0 without ranks.
std::int64_t endsApartNs(const std::vector<UnderWay> &ranks);

} // namespace core
