#pragma once

#include "core/base/diagnostics.h"
#include "core/bundle/bundle.h"

#include <cstdint>
#include <optional>

namespace core {

/// Turns the times of one Kineto file into nanoseconds since the Unix epoch.
///
/// New files hold times relative to `baseTimeNanoseconds`; PyTorch 2.4 to 2.6 write that key after
/// the events. So when the first time is wanted, no base is known and the time is too small to be
/// since the epoch, the base is looked for in the last bytes of the entry: slices go to the sink as
/// they are read, once, with their final times. Files without any base keep the times they have.
class KinetoClock
{
public:
    KinetoClock(const BundleEntry &entry, Diagnostics &diagnostics)
        : m_entry(entry)
        , m_diagnostics(diagnostics)
    {
    }

    /// A base that the reader met. One that comes after the first time was wanted must be the one
    /// that was found then; else it is reported.
    void noteBase(std::int64_t baseNs);
    /// Absent if the sum does not fit into int64.
    std::optional<std::int64_t> absolute(std::int64_t ns)
    {
        if (!m_isSettled)
            settle(ns);
        std::int64_t sum = 0;
        if (__builtin_add_overflow(m_baseNs, ns, &sum))
            return std::nullopt;
        return sum;
    }

private:
    void settle(std::int64_t firstNs);
    std::optional<std::int64_t> baseInTail() const;

    const BundleEntry &m_entry;
    Diagnostics &m_diagnostics;
    std::int64_t m_baseNs = 0;
    bool m_hasBase = false;
    bool m_isSettled = false;
};

} // namespace core
