#include "ui/timeline_sources/rank_keys.h"

#include "ui/timeline_sources/track_order.h"

namespace ui {

GroupKeysByName rankKeys(const core::Diagnosis &diagnosis, const OrderedTracks &order)
{
    std::map<int, std::int64_t> lateNs; // by rank
    for (const core::RankDiagnosis &rank : diagnosis.ranks) {
        for (const core::RankWait &wait : rank.waits) {
            lateNs[wait.rank] += wait.aloneNs;
        }
    }
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
    }
    return keys;
}

} // namespace ui
