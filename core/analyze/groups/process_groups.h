#pragma once

#include "core/analyze/groups/group_roles.h"
#include "core/base/job_control.h"
#include "core/model/trace.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core {

/// Where a process group's role is known from.
enum class RoleBasis {
    Unknown,
    Stated, ///< by the source's own description of the group
    Inferred, ///< from what it is used for; see inferredRole()
};

/// "stated", "inferred", "unknown".
std::string_view roleBasisName(RoleBasis basis);

/// Ranks that communicate with each other.
struct ProcessGroup
{
    std::string name; ///< as the source names it ("0"); empty: it names none
    std::string kind; ///< where the source names no groups: the only kind of its collectives
    std::string description; ///< the source's own ("default_pg"); empty: none
    GroupRole role = GroupRole::Unknown;
    RoleBasis basis = RoleBasis::Unknown;
    std::string evidence; ///< for people: why it has that role, or what is known of it
    std::vector<int> ranks; ///< ascending
    bool areRanksStated = false; ///< else those that are recorded and use it
    std::size_t calls = 0; ///< of all ranks, in the recording
};

/// The groups that the trace's collectives are on; by name, then ranks. Groups that the source
/// lists but nobody uses are left out. Throws Cancelled.
std::vector<ProcessGroup> processGroups(const Trace &trace, const JobControl &control);

/// Which slices processGroups() needs beside those of the collectives, by their names: an outline
/// of a project that keeps them gives the same groups.
bool marksGroupUse(std::string_view sliceName);

/// Finds the group of a collective among many, in a time that does not grow with their number.
/// Refers to the groups.
class ProcessGroupIndex
{
public:
    explicit ProcessGroupIndex(const std::vector<ProcessGroup> &groups);

    /// The first of these groups that has the rank; null where there is none.
    const ProcessGroup *find(const std::string &name, const std::string &kind, int rank) const;

private:
    /// By name and kind (empty: of all kinds): by rank.
    std::map<std::pair<std::string, std::string>, std::unordered_map<int, const ProcessGroup *>>
        m_groups;
};

} // namespace core
