#include "core/analyze/groups/process_group_text.h"

#include <nlohmann/json.hpp>

namespace core {

namespace {

    std::string roleText(const ProcessGroup &group)
    {
        if (group.role == GroupRole::Unknown)
            return "role not known";
        return std::string(groupRoleName(group.role)) + " parallel";
    }

} // namespace

std::string titleOf(const ProcessGroup &group)
{
    return roleText(group) + ", " + ranksText(group.ranks)
        + (group.basis == RoleBasis::Inferred ? " (inferred)" : "");
}

nlohmann::ordered_json toJson(const std::vector<ProcessGroup> &groups)
{
    auto json = nlohmann::ordered_json::array();
    for (const ProcessGroup &group : groups)
        json.push_back({ { "name", group.name },
                         { "kind", group.kind },
                         { "description", group.description },
                         { "title", titleOf(group) },
                         { "role", groupRoleName(group.role) },
                         { "basis", roleBasisName(group.basis) },
                         { "evidence", group.evidence },
                         { "ranks", group.ranks },
                         { "ranks_stated", group.areRanksStated },
                         { "calls", group.calls } });
    return json;
}

} // namespace core
