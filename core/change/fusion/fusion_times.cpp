#include "core/change/fusion/fusion_times.h"

#include "core/base/error.h"

#include <charconv>
#include <cmath>
#include <vector>

namespace core {

namespace {

    constexpr std::string_view TimeHeading = "microseconds";
    constexpr double MostFusedUs = 1e9; ///< no op takes longer

    bool endsRow(char letter)
    {
        return letter == '\n' || letter == ';' || letter == '\r';
    }

    /// Takes one row with its end off `rest`.
    std::vector<std::string> takeRow(std::string_view &rest)
    {
        std::vector<std::string> fields(1);
        bool isQuoted = false;
        std::size_t at = 0;
        for (; at < rest.size() && (isQuoted || !endsRow(rest[at])); ++at) {
            const char letter = rest[at];
            if (letter == '"' && isQuoted && at + 1 < rest.size() && rest[at + 1] == '"')
                fields.back().push_back(rest[++at]);
            else if (letter == '"')
                isQuoted = !isQuoted;
            else if (letter == ',' && !isQuoted)
                fields.emplace_back();
            else
                fields.back().push_back(letter);
        }
        rest.remove_prefix(at < rest.size() ? at + 1 : at);
        return fields;
    }

    std::optional<double> microseconds(std::string_view text)
    {
        double us = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), us);
        const bool isWhole = error == std::errc() && end == text.data() + text.size();
        return isWhole && std::isfinite(us) && us >= 0 && us <= MostFusedUs ? std::optional(us)
                                                                            : std::nullopt;
    }

} // namespace

FusionTimes::FusionTimes(std::string_view rows)
{
    constexpr std::size_t Fields = 3;
    for (std::size_t row = 1; !rows.empty();) {
        const std::vector<std::string> fields = takeRow(rows);
        if (fields.size() == 1 && fields.front().empty())
            continue; // an empty line
        if (fields.size() == Fields && fields.back() == TimeHeading && row == 1) {
            ++row;
            continue;
        }
        const auto us = fields.size() == Fields ? microseconds(fields.back()) : std::nullopt;
        if (!us)
            throw Error("Row " + std::to_string(row)
                        + " of the times of joined operations is not 'first,second,microseconds'. "
                          "Put names with commas in quotes.");
        m_ns[{ fields[0], fields[1] }] = std::llround(1e3 * *us);
        ++row;
    }
}

std::optional<std::int64_t> FusionTimes::of(std::string_view first, std::string_view second) const
{
    if (m_ns.empty())
        return std::nullopt;
    const auto found = m_ns.find(std::pair(std::string(first), std::string(second)));
    return found == m_ns.end() ? std::nullopt : std::optional(found->second);
}

} // namespace core
