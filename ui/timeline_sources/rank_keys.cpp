#include "ui/timeline_sources/rank_keys.h"

#include "core/base/ranks_text.h"
#include "ui/timeline_sources/track_order.h"

#include <set>
#include <string_view>

namespace ui {
namespace {

    using Sections = std::map<QString, QString>; ///< heading by kind

    void addHosts(std::map<int, Sections> &ofRanks, const core::Diagnosis &diagnosis,
                  const OrderedTracks &order)
    {
        for (const core::RankDiagnosis &rank : diagnosis.ranks) {
            const std::uint32_t worker = rank.worker.value;
            if (worker < order.hosts.size() && !order.hosts[worker].isEmpty()) {
                ofRanks[rank.rank][QStringLiteral("host")] = order.hosts[worker];
            }
        }
    }

    void addGroups(std::map<int, Sections> &ofRanks, const std::vector<core::ProcessGroup> &groups)
    {
        std::map<std::pair<int, QString>, std::size_t> sizes;
        for (const core::ProcessGroup &group : groups) {
            if (group.role == core::GroupRole::Unknown) {
                continue;
            }
            const std::string_view name = core::groupRoleName(group.role);
            const QString role
                = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
            for (const int rank : group.ranks) {
                std::size_t &size = sizes[{ rank, role }];
                if (group.ranks.size() > size) {
                    size = group.ranks.size();
                    ofRanks[rank][role] = QString::fromStdString(core::ranksText(group.ranks));
                }
            }
        }
    }

    /// Removes kinds of which all ranks share one heading.
    void dropCommon(std::map<int, Sections> &ofRanks)
    {
        std::map<QString, std::set<QString>> headings; // by kind
        for (const auto &[rank, sections] : ofRanks) {
            for (const auto &[kind, heading] : sections) {
                headings[kind].insert(heading);
            }
        }
        for (auto &[rank, sections] : ofRanks) {
            std::erase_if(sections,
                          [&](const auto &entry) { return headings[entry.first].size() < 2; });
        }
    }

} // namespace

GroupKeysByName rankKeys(const core::Diagnosis &diagnosis, const OrderedTracks &order)
{
    std::map<int, std::int64_t> lateNs; // by rank
    for (const core::RankDiagnosis &rank : diagnosis.ranks) {
        for (const core::RankWait &wait : rank.waits) {
            lateNs[wait.rank] += wait.aloneNs;
        }
    }
    std::map<int, Sections> sections; // by rank
    addHosts(sections, diagnosis, order);
    addGroups(sections, diagnosis.groups);
    dropCommon(sections);
    GroupKeysByName keys;
    for (const core::RankDiagnosis &rank : diagnosis.ranks) {
        if (rank.worker.value >= order.groups.size()) {
            continue;
        }
        GroupKeys &ofRank = keys[order.groups[rank.worker.value]];
        for (const core::RankWait &wait : rank.waits) {
            ofRank.waitNs += wait.ns;
        }
        ofRank.lateNs = lateNs[rank.rank];
        ofRank.sections = sections[rank.rank];
    }
    return keys;
}

} // namespace ui
