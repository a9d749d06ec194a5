#include "core/align/stated_groups.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {

namespace {

    constexpr std::string_view ListSuffix = "#process_groups"; ///< of JobMetadata::name
    constexpr std::int64_t LargestRank = 100'000'000;

    std::string textMember(const nlohmann::json &object, const char *key)
    {
        const auto member = object.find(key);
        return member != object.end() && member->is_string() ? member->get<std::string>()
                                                             : std::string();
    }

    std::vector<int> ranksOf(const nlohmann::json &group)
    {
        std::vector<int> ranks;
        const auto member = group.find("ranks");
        if (member == group.end() || !member->is_array())
            return ranks;
        for (const nlohmann::json &rank : *member) {
            const auto value = rank.is_number_integer() ? rank.get<std::int64_t>() : -1;
            if (value < 0 || value > LargestRank)
                return {};
            ranks.push_back(static_cast<int>(value));
        }
        std::sort(ranks.begin(), ranks.end());
        return ranks;
    }

} // namespace

StatedGroups::StatedGroups(const Trace &trace)
{
    for (const JobMetadata &metadata : trace.metadata)
        if (metadata.name.ends_with(ListSuffix))
            addList(metadata.name.substr(0, metadata.name.size() - ListSuffix.size()),
                    metadata.text);
}

void StatedGroups::addList(const std::string &entry, const std::string &text)
{
    const auto list = nlohmann::json::parse(text, nullptr, false);
    if (!list.is_array())
        return;
    for (const nlohmann::json &group : list)
        if (group.is_object())
            m_byName[textMember(group, "pg_name")].push_back(
                { entry, { textMember(group, "pg_desc"), ranksOf(group) } });
}

const StatedGroup *StatedGroups::find(const Worker &worker, const std::string &name) const
{
    const auto named = m_byName.find(name);
    if (name.empty() || named == m_byName.end())
        return nullptr;
    const StatedGroup *own = nullptr, *others = nullptr;
    for (const Listed &listed : named->second) {
        const bool isOwn = std::find(worker.files.begin(), worker.files.end(), listed.entry)
            != worker.files.end();
        if (!isOwn && others != nullptr)
            continue;
        const std::vector<int> &ranks = listed.group.ranks;
        const bool isMember = std::binary_search(ranks.begin(), ranks.end(), worker.rank);
        if (isOwn && isMember)
            return &listed.group;
        if (isOwn && own == nullptr)
            own = &listed.group;
        else if (isMember && others == nullptr)
            others = &listed.group;
    }
    return own != nullptr ? own : others;
}

} // namespace core
