#pragma once

#include "core/model/ids.h"

#include <map>
#include <optional>
#include <vector>

namespace core {

/// What passing over a byte of memory takes in a job's own ops: the slope of the roofline's
/// roof (Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009).
struct MemoryRate
{
    double nsPerByte = 0;
    double uncertainty = 1; ///< factor; the 95 % interval reaches from as many times less to more
};

/// Finds it from ops that do nothing but pass over their arguments.
class MemoryRateSamples
{
public:
    void add(NameId name, double bytes, double ns);
    /// Each name is one pattern of reads and writes, at its median rate (of its bytes, so that what
    /// fits into a cache counts little). What products do is one more pattern, and the interval
    /// that of one more (Student's t, of the logarithms). Empty with fewer than two names.
    std::optional<MemoryRate> rate() const;

private:
    struct Sample
    {
        double nsPerByte, bytes;
    };
    static double medianOf(std::vector<Sample> samples);

    std::map<NameId, std::vector<Sample>> m_samples;
};

} // namespace core
