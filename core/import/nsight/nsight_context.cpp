#include "core/import/nsight/nsight_context.h"

#include "core/import/checked_range.h"

#include <algorithm>

namespace core {

std::optional<TimeRange> NsightContext::rangeOf(std::string_view table,
                                                std::optional<std::int64_t> beginNs,
                                                std::optional<std::int64_t> endNs, bool mayBeOpen)
{
    if (beginNs && !endNs && mayBeOpen) {
        count("open-range", Severity::Info,
              "ranges that were open when recording stopped last until its end here");
        endNs = std::max(*beginNs, stopNs.value_or(*beginNs));
    }
    TimeRange moved;
    if (beginNs && endNs && !__builtin_add_overflow(*beginNs, startNs, &moved.startNs)
        && !__builtin_add_overflow(*endNs, startNs, &moved.endNs)) {
        if (const std::optional<TimeRange> range = checkedRange(moved.startNs, moved.endNs))
            return range;
    }
    count("bad-time", Severity::Error,
          "rows whose start or end is missing, no whole number or reversed were left out; the "
          "first one is of the table "
              + std::string(table) + ". Export the report again");
    return std::nullopt;
}

std::optional<std::int64_t> NsightContext::gpuOf(NsightProcess process,
                                                 std::optional<std::int64_t> device) const
{
    if (!device)
        return std::nullopt;
    const auto known = gpus.find({ nsightPidOf(process), *device });
    return known == gpus.end() ? device : known->second;
}

NameId NsightContext::nameOf(std::string_view table, std::optional<std::int64_t> stringId)
{
    if (stringId) {
        if (const std::optional<NameId> name = strings.name(*stringId))
            return *name;
    }
    countUnknownName(table);
    return sink.intern("?");
}

void NsightContext::countUnknownName(std::string_view table)
{
    count("unknown-name", Severity::Warning,
          "rows whose name is not among the file's texts (StringIds) were named '?'; the first one "
          "is of the table "
              + std::string(table) + ". Export the report again");
}

} // namespace core
