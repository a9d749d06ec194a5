#pragma once

#include "core/base/time_range.h"
#include "core/import/nsight/nsight_database.h"
#include "core/import/nsight/nsight_strings.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace core {

/// A process as tables name it: `globalPid`, or `globalTid` without its last 24 bits. The number
/// holds hardware, virtual machine and process id.
using NsightProcess = std::int64_t;

constexpr NsightProcess nsightProcessOf(std::int64_t globalId)
{
    return globalId & ~std::int64_t { 0xffffff };
}
constexpr std::int64_t nsightPidOf(std::int64_t globalId)
{
    return (globalId >> 24) & 0xffffff;
}
constexpr std::int64_t nsightTidOf(std::int64_t globalId)
{
    return globalId & 0xffffff;
}

/// What the readers of one export share.
struct NsightContext
{
    NsightContext(NsightDatabase &database, TraceSink &traceSink)
        : db(database)
        , sink(traceSink)
        , strings(database, traceSink)
    {
    }

    NsightDatabase &db;
    TraceSink &sink;
    NsightStrings strings;
    std::int64_t startNs = 0; ///< of the session, since the Unix epoch; 0 where it is not known
    std::optional<std::int64_t> stopNs; ///< of the capture, since the session's start
    /// By process id and the number that the device has in that process.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpus;

    /// The interval on the worker's clock. `endNs` absent: open until the capture's end, which is
    /// counted. Absent for times that make no sense, which are counted as well.
    std::optional<TimeRange> rangeOf(std::string_view table, std::optional<std::int64_t> beginNs,
                                     std::optional<std::int64_t> endNs, bool mayBeOpen = false);
    /// The host's number of a device as rows name it: a process counts those that
    /// CUDA_VISIBLE_DEVICES lets it see, so that each rank may have a device 0. The row's own
    /// number where the export does not say which GPU that is.
    std::optional<std::int64_t> gpuOf(NsightProcess process,
                                      std::optional<std::int64_t> device) const;
    /// "?" for what is not among the texts, which is counted.
    NameId nameOf(std::string_view table, std::optional<std::int64_t> stringId);
    void countUnknownName(std::string_view table);
    void count(std::string_view code, Severity severity, std::string_view message)
    {
        sink.diagnostics().count(code, severity, { db.name(), {} }, message);
    }
};

} // namespace core
