#include "core/import/kineto/kineto_clock.h"

#include "core/base/error.h"
#include "core/import/text/decimal_time.h"

#include <string>
#include <string_view>

namespace core {

namespace {

    constexpr std::size_t TailSize = 256 * 1024;
    constexpr std::int64_t EarliestEpochNs = 1'000'000'000'000'000'000; // September 2001
    constexpr std::string_view BaseKey = "\"baseTimeNanoseconds\"";

    /// The number after the last `"baseTimeNanoseconds":`.
    std::optional<std::int64_t> lastBase(std::string_view tail)
    {
        const std::size_t key = tail.rfind(BaseKey);
        if (key == std::string_view::npos)
            return std::nullopt;
        std::string_view rest = tail.substr(key + BaseKey.size());
        constexpr std::string_view Spaces = " \t\r\n";
        rest.remove_prefix(std::min(rest.find_first_not_of(Spaces), rest.size()));
        if (!rest.starts_with(':'))
            return std::nullopt;
        rest.remove_prefix(1);
        rest.remove_prefix(std::min(rest.find_first_not_of(Spaces), rest.size()));
        return integerFrom(rest.substr(0, rest.find_first_not_of("-0123456789")));
    }

} // namespace

void KinetoClock::noteBase(std::int64_t baseNs)
{
    if (m_isSettled && !m_hasBase && baseNs != 0) {
        m_diagnostics.count(
            "late-base-time", Severity::Warning, { m_entry.name(), std::nullopt },
            "baseTimeNanoseconds was not added to the times: it stands too far after the events, "
            "or "
            "the times are since the epoch already. Times within this file are right; if this rank "
            "seems to run at another time than the others, move that key before traceEvents.");
        return;
    }
    if (!m_isSettled) {
        m_baseNs = baseNs;
        m_hasBase = true;
    }
}

void KinetoClock::settle(std::int64_t firstNs)
{
    m_isSettled = true;
    if (m_hasBase || firstNs >= EarliestEpochNs)
        return;
    const std::optional<std::int64_t> base = baseInTail();
    m_hasBase = base.has_value();
    m_baseNs = base.value_or(0);
}

std::optional<std::int64_t> KinetoClock::baseInTail() const
{
    try {
        return lastBase(m_entry.tail(TailSize));
    } catch (const Error &) {
        return std::nullopt; // a cut archive: its end is lost, and read() will report that
    }
}

} // namespace core
