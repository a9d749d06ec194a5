#pragma once

#include "core/import/kineto/kineto_transfers.h"
#include "core/model/trace_sink.h"

#include <map>
#include <string>
#include <string_view>

namespace core {

/// What stands around the events of a Kineto file: the rank, the job's process groups, the devices
/// and the versions of what recorded it. The keys may come before or after the events.
class KinetoHeader
{
public:
    KinetoHeader(TraceSink &sink, std::string file)
        : m_sink(sink)
        , m_file(std::move(file))
    {
    }

    /// A member of the outermost object; `value` is balanced JSON text as it stands in the file.
    /// Other keys than those of a header are passed over.
    void addMember(std::string_view key, std::string_view value, std::uint64_t offset);
    const WorkerInfo &info() const { return m_info; }
    /// Of the process groups that list their ranks.
    KinetoGroupRanks groupRanks() const;
    /// After the last member: gives the sink "process_groups" and "devices" (the file's JSON
    /// lists) and "profiler" (a JSON object of versions and settings).
    void writeMetadata() const;

private:
    void addDistributedInfo(std::string_view value, std::uint64_t offset);
    void keepList(std::string &list, std::string_view value, std::uint64_t offset);
    void keepSetting(std::string_view key, std::string_view value);

    TraceSink &m_sink;
    std::string m_file;
    WorkerInfo m_info;
    std::string m_processGroups, m_devices; ///< clean JSON; empty for none
    std::map<std::string, std::string> m_settings; ///< key -> clean JSON
};

} // namespace core
