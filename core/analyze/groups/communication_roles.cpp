#include "core/analyze/groups/communication_roles.h"

#include "core/analyze/groups/transfer_groups.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

    using RoleOfUse = std::pair<GroupRole, bool>; ///< and RoleShare::isSharded

    bool isShardsKind(const std::string &kind)
    {
        return kind == "all_gather" || kind == "reduce_scatter";
    }

    /// By SliceId, of the parts of matched collectives and messages.
    std::unordered_map<std::uint64_t, RoleOfUse>
    rolesBySlice(const Trace &trace, const Graph &measured, const std::vector<ProcessGroup> &groups)
    {
        const TransferGroups index(trace, groups);
        std::unordered_map<std::uint64_t, RoleOfUse> roles;
        for (const CollectiveNode &node : measured.collectives) {
            const ProcessGroup *group = index.find(node);
            const GroupRole role = group != nullptr ? group->role : GroupRole::Unknown;
            for (const CollectiveNode::Part &part : node.parts)
                roles[part.slice.value]
                    = { role, role == GroupRole::Data && isShardsKind(node.name) };
        }
        return roles;
    }

} // namespace

std::vector<RoleShare> communicationRoles(const Trace &trace, const Graph &measured,
                                          const Diagnosis &diagnosis)
{
    const auto roles = rolesBySlice(trace, measured, diagnosis.groups);
    std::map<RoleOfUse, double> times;
    double allNs = 0;
    for (const CriticalOp &op : diagnosis.criticalPath.ops)
        if (const auto role = roles.find(op.slice.value);
            op.kind == "comm" && role != roles.end()) {
            times[role->second] += static_cast<double>(op.durationNs);
            allNs += static_cast<double>(op.durationNs);
        }
    std::vector<RoleShare> shares;
    for (const auto &[use, ns] : times)
        if (ns > 0)
            shares.push_back({ use.first, use.second, ns / allNs });
    std::stable_sort(shares.begin(), shares.end(),
                     [](const RoleShare &a, const RoleShare &b) { return a.share > b.share; });
    const bool isAnyKnown = std::any_of(shares.begin(), shares.end(), [](const RoleShare &share) {
        return share.role != GroupRole::Unknown;
    });
    return isAnyKnown ? shares : std::vector<RoleShare>();
}

std::string roleText(const RoleShare &share)
{
    if (share.role == GroupRole::Unknown)
        return "not known";
    return std::string(groupRoleName(share.role)) + " parallel"
        + (share.isSharded ? ", sharded" : "");
}

} // namespace core
