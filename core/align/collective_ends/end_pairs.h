#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// The ends of one collective on the clocks of its participants, near enough to each other to be
/// doubles: nanoseconds since a common origin, after a first guess of the offsets.
struct JointEnd
{
    struct Part
    {
        std::size_t worker = 0;
        double endNs = 0;
        double durationNs = 0;
    };
    std::vector<Part> parts;
    double durationNs = 0; ///< of the participant that came last: no waiting in it
    double timeNs = 0; ///< since the middle of the trace; what a drift is multiplied with
    std::uint64_t bytes = 0; ///< payload; 0 unknown
    std::size_t batch = 0; ///< stretch of the trace: delays within one may be of one cause
};

/// Weight of a collective's end: a longer transfer leaves more room between the ends of two ranks.
double endWeight(const JointEnd &end, double medianDurationNs);

double medianDuration(const std::vector<JointEnd> &ends);

/// How far apart two workers left one collective, as one of them sees it.
struct EndPair
{
    std::uint32_t own = 0, other = 0; ///< workers
    std::uint32_t batch = 0; ///< of JointEnd
    float timeNs = 0; ///< of the collective
    float spread = 1; ///< how far such ends lie apart, against those of a median collective
    float weight = 1; ///< n ends hold n - 1 independent distances, however many pairs they make
    double gapNs = 0; ///< own end - the other's
};

/// Pairs of all collectives, twice: as each of both workers sees them. One worker's lie together,
/// since fits go through them hundreds of times.
class EndPairs
{
public:
    EndPairs(const std::vector<JointEnd> &ends, std::size_t workerCount);

    std::span<const EndPair> all() const { return m_pairs; }
    std::span<const EndPair> of(std::size_t worker) const
    {
        return all().subspan(m_first[worker], m_first[worker + 1] - m_first[worker]);
    }

private:
    std::vector<EndPair> m_pairs; ///< by own worker
    std::vector<std::size_t> m_first; ///< by worker, into m_pairs
};

} // namespace core
