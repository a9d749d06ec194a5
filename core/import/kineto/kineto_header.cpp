#include "core/import/kineto/kineto_header.h"

#include "core/import/checked_index.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/json_members.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace core {

namespace {

    // Every rank's file repeats the lists, and a project keeps them all in memory.
    constexpr std::size_t MaximumListSize = 256 * 1024;
    constexpr std::size_t MaximumSettingSize = 1024;

    constexpr std::array Settings = {
        std::string_view("record_shapes"),       std::string_view("with_stack"),
        std::string_view("with_flops"),          std::string_view("with_modules"),
        std::string_view("profile_memory"),      std::string_view("cuda_runtime_version"),
        std::string_view("cuda_driver_version"), std::string_view("cupti_version"),
        std::string_view("hip_runtime_version"), std::string_view("hip_driver_version"),
        std::string_view("roctracer_version"),   std::string_view("trace_id"),
    };

    std::optional<int> smallNumber(std::string_view value)
    {
        return checkedIndex(integerFrom(json::unquoted(value)));
    }

} // namespace

void KinetoHeader::addMember(std::string_view key, std::string_view value, std::uint64_t offset)
{
    if (key == "distributedInfo")
        addDistributedInfo(value, offset);
    else if (key == "deviceProperties")
        keepList(m_devices, value, offset);
    else if (key == "host_name" && value.size() > 2 && value.front() == '"')
        m_info.host = cleanString(json::unquoted(value));
    else if (std::find(Settings.begin(), Settings.end(), key) != Settings.end())
        keepSetting(key, value);
}

void KinetoHeader::addDistributedInfo(std::string_view value, std::uint64_t offset)
{
    WorkerInfo found = m_info;
    std::string_view groups, backend, version;
    const bool isRead
        = json::forEachMember(value, [&](std::string_view key, std::string_view member) {
              if (key == "rank")
                  found.rank = smallNumber(member);
              else if (key == "world_size")
                  found.worldSize = smallNumber(member);
              else if (key == "pg_config")
                  groups = member;
              else if (key == "backend")
                  backend = member;
              else if (key == "nccl_version")
                  version = member;
          });
    if (!isRead) {
        m_sink.diagnostics().count(
            "bad-distributed-info", Severity::Warning, { m_file, offset },
            "distributedInfo makes no sense and was ignored: the rank is taken from the file's "
            "name or must be given");
        return;
    }
    m_info = found;
    if (!groups.empty())
        keepList(m_processGroups, groups, offset);
    keepSetting("backend", backend);
    keepSetting("nccl_version", version);
}

KinetoGroupRanks KinetoHeader::groupRanks() const
{
    KinetoGroupRanks all;
    const auto list = nlohmann::json::parse(m_processGroups, nullptr, false);
    if (!list.is_array())
        return all;
    for (const nlohmann::json &group : list) {
        if (!group.is_object() || !group.contains("pg_name") || !group["pg_name"].is_string()
            || !group.contains("ranks") || !group["ranks"].is_array())
            continue;
        std::vector<int> ranks;
        for (const nlohmann::json &rank : group["ranks"])
            if (const auto number = smallNumber(rank.dump()))
                ranks.push_back(*number);
        if (ranks.size() == group["ranks"].size())
            all.emplace(group["pg_name"].get<std::string>(), std::move(ranks));
    }
    return all;
}

void KinetoHeader::keepList(std::string &list, std::string_view value, std::uint64_t offset)
{
    list.clear();
    if (value.size() > MaximumListSize) {
        m_sink.diagnostics().count("metadata-too-large", Severity::Warning, { m_file, offset },
                                   "the list of process groups or devices is larger than 256 KiB "
                                   "and was not kept. Peers of sends that are counted within "
                                   "their group are not known");
        return;
    }
    // Parsed and written again, since the file spreads it over many indented lines.
    const auto parsed = nlohmann::ordered_json::parse(cleanText(value), nullptr, false);
    if (parsed.is_array() && !parsed.empty())
        list = parsed.dump();
}

void KinetoHeader::keepSetting(std::string_view key, std::string_view value)
{
    if (value.empty() || value.size() > MaximumSettingSize || value.front() == '{'
        || value.front() == '[')
        return;
    std::string clean = cleanText(value);
    if (nlohmann::json::accept(clean))
        m_settings[std::string(key)] = std::move(clean);
}

void KinetoHeader::writeMetadata() const
{
    if (!m_processGroups.empty())
        m_sink.metadata("process_groups", m_processGroups);
    if (!m_devices.empty())
        m_sink.metadata("devices", m_devices);
    if (m_settings.empty())
        return;
    std::string object;
    for (const auto &[key, value] : m_settings)
        object += (object.empty() ? "{\"" : ",\"") + key + "\":" + value;
    m_sink.metadata("profiler", object + '}');
}

} // namespace core
