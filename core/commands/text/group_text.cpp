#include "core/commands/text/group_text.h"

#include "core/analyze/groups/process_group_text.h"
#include "core/base/duration_text.h"

#include <ostream>

namespace core {

namespace {

    constexpr std::size_t MostGroups = 12; ///< listed; --json has all

    std::string nameOf(const ProcessGroup &group)
    {
        if (group.name.empty())
            return group.kind;
        return "'" + group.name + "'" + (group.description.empty() ? "" : ", " + group.description);
    }

} // namespace

void printGroups(const std::vector<ProcessGroup> &groups, std::ostream &out)
{
    if (groups.empty())
        return;
    out << "Process groups:\n";
    // A single one more takes no more room than that it is left out.
    const std::size_t listed
        = groups.size() == MostGroups + 1 ? groups.size() : std::min(MostGroups, groups.size());
    for (std::size_t i = 0; i < listed; ++i)
        out << "  " << nameOf(groups[i]) << ": " << titleOf(groups[i]) << ". " << groups[i].evidence
            << "\n";
    if (groups.size() > listed)
        out << "  and " << countText(groups.size() - listed, "other") << " (--json lists them)\n";
}

} // namespace core
