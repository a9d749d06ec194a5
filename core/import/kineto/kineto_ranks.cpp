#include "core/import/kineto/kineto_ranks.h"

#include "core/import/category_counts.h"
#include "core/import/rank_limit.h"
#include "core/import/text/json_members.h"

namespace core {

namespace {

    constexpr std::size_t MostOpProcesses = 64; ///< whose ops are counted
    constexpr std::uint64_t LeastShare = 20; ///< a part of all ops that a process needs to count
    constexpr std::size_t MaximumRanks = 16'384; // a rank takes some 3 KiB here

    std::size_t slotOf(std::string_view name)
    {
        if (name.empty())
            return 0;
        const auto at = [name](std::size_t i) {
            return static_cast<std::size_t>(static_cast<unsigned char>(name[i]));
        };
        return (name.size() * 7 + at(0) * 31 + at(name.size() / 2) * 5 + at(name.size() - 1)) & 63U;
    }

    /// The rank of a process's label "rank 3".
    std::optional<int> rankInLabel(const ChromeEvent &event)
    {
        constexpr std::string_view Prefix = "rank ";
        std::optional<std::uint64_t> rank;
        json::forEachMember(event.argsText, [&](std::string_view key, std::string_view value) {
            const std::string_view label = json::unquoted(value);
            if (key == "labels" && label.starts_with(Prefix))
                rank = unsignedFrom(label.substr(Prefix.size()));
        });
        return rank && *rank < RankLimit ? std::optional(static_cast<int>(*rank)) : std::nullopt;
    }

} // namespace

KinetoCategoryCount &KinetoRank::categoryOf(const ChromeEvent &event)
{
    const std::string_view name = event.hasCategory ? event.category : "none";
    KinetoCategoryCount *&recent = m_recent[slotOf(name)];
    if (recent == nullptr || recent->name != name)
        recent = &categoryNamed(name);
    return *recent;
}

KinetoCategoryCount &KinetoRank::categoryNamed(std::string_view name)
{
    const auto found = m_byName.find(name);
    if (found != m_byName.end())
        return *found->second;
    // What Kineto itself names is few, and decides on a slice's row wherever it comes first.
    const bool isKineto = kinetoCategory(name).isKnown;
    if (!isKineto && name != FurtherCategories && !hasOwnCount(name, m_categories.size()))
        return categoryNamed(FurtherCategories);
    m_categories.push_back({ std::string(name), {}, 0 });
    KinetoCategoryCount &added = m_categories.back();
    added.kind = kinetoCategory(added.name); // its view stays valid: so does `added`
    m_byName.emplace(added.name, &added);
    return added;
}

void KinetoRank::noteOp(std::string_view pid)
{
    if (m_process == m_opsByProcess.end() || m_process->first != pid) {
        m_process = m_opsByProcess.find(pid);
        if (m_process == m_opsByProcess.end()) {
            if (m_opsByProcess.size() >= MostOpProcesses)
                return;
            m_process = m_opsByProcess.emplace(pid, 0).first;
        }
    }
    ++m_process->second;
}

std::vector<std::string> KinetoRank::processesOfOps() const
{
    std::uint64_t all = 0;
    for (const auto &[pid, count] : m_opsByProcess)
        all += count;
    std::vector<std::string> processes;
    for (const auto &[pid, count] : m_opsByProcess)
        if (count >= all / LeastShare)
            processes.push_back(pid);
    return processes;
}

KinetoRank &KinetoRanks::own()
{
    if (m_own == nullptr)
        m_own = m_ranks.empty() ? &m_ranks.emplace_back(m_sink, std::nullopt, m_heldBytes)
                                : &m_ranks.front();
    return *m_own;
}

KinetoRank &KinetoRanks::find(std::string_view pid)
{
    if (m_recent == nullptr || m_recentPid != pid) {
        const auto found = m_byPid.find(pid);
        m_recent = found != m_byPid.end() ? found->second : &own();
        m_recentPid = pid;
    }
    return *m_recent;
}

KinetoRank &KinetoRanks::stated(int rank)
{
    KinetoRank *&known = m_byRank[rank];
    if (known != nullptr)
        return *known;
    if (m_own != nullptr && !m_own->stated() && !m_own->tracks().hasRows()) {
        known = m_own; // there for records before the first label, such as names of processes
        known->setStated(rank);
    } else {
        known = &m_ranks.emplace_back(m_sink, rank, m_heldBytes);
    }
    return *known;
}

bool KinetoRanks::noteLabel(const ChromeEvent &event)
{
    const std::optional<int> rank = rankInLabel(event);
    const auto known = m_byPid.find(event.pid);
    if (!rank || (known != m_byPid.end() && known->second->stated() == rank))
        return true;
    if (known != m_byPid.end() || m_byPid.size() >= MaximumRanks
        || (m_own != nullptr && m_own->tracks().hasProcess(event.pid)))
        return false;
    m_byPid.emplace(event.pid, &stated(*rank));
    m_recent = nullptr;
    return true;
}

} // namespace core
