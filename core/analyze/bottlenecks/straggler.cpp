#include "core/analyze/bottlenecks/straggler.h"

#include "core/analyze/own_work_words.h"
#include "core/base/duration_text.h"
#include "core/measure/own_work.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MostRanksListed = 16;

    /// `ns` is one of the values.
    std::int64_t othersNs(const std::map<int, std::int64_t> &nsByRank, std::int64_t ns)
    {
        std::vector<std::int64_t> values;
        values.reserve(nsByRank.size());
        for (const auto &[rank, each] : nsByRank)
            values.push_back(each);
        return OthersMedian(std::move(values)).without(ns);
    }

    std::int64_t excess(const std::map<int, std::int64_t> &nsByRank, int rank)
    {
        const auto own = nsByRank.find(rank);
        return own == nsByRank.end() ? 0 : own->second - othersNs(nsByRank, own->second);
    }

    std::string rankText(int rank, std::int64_t ns)
    {
        return "rank " + std::to_string(rank) + " " + durationText(ns);
    }

} // namespace

std::string byRankText(const std::map<int, std::int64_t> &nsByRank, int rank)
{
    std::string text;
    const auto own = nsByRank.find(rank);
    if (nsByRank.size() > MostRanksListed && own != nsByRank.end())
        return rankText(rank, own->second) + ", the median of the others "
            + durationText(othersNs(nsByRank, own->second));
    for (const auto &[number, ns] : nsByRank)
        text += (text.empty() ? "" : ", ") + rankText(number, ns);
    return text;
}

OwnTime::OwnTime(const Trace &trace, const Graph &graph, const std::vector<RankDiagnosis> &ranks)
{
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    const std::vector<bool> hasHost = workersWithHost(graph);
    if (std::find(isAccelerated.begin(), isAccelerated.end(), true) != isAccelerated.end())
        addAccelerators(ranks);
    else if (std::find(hasHost.begin(), hasHost.end(), true) != hasHost.end())
        addThreads(trace, graph);
}

void OwnTime::addAccelerators(const std::vector<RankDiagnosis> &ranks)
{
    m_source = Source::Accelerator;
    for (const RankDiagnosis &rank : ranks) {
        std::int64_t count = 0, computeNs = 0, idleNs = 0;
        for (const IterationBreakdown &iteration : rank.iterations) {
            if (!iteration.isCompared)
                continue;
            ++count;
            computeNs += iteration.time.computeNs + iteration.time.memOnlyNs;
            idleNs += iteration.time.idleNs;
        }
        if (count == 0)
            continue;
        m_computeNs[rank.rank] = computeNs / count;
        m_idleNs[rank.rank] = idleNs / count;
    }
}

void OwnTime::addThreads(const Trace &trace, const Graph &graph)
{
    m_source = Source::Threads;
    const OwnWorkWords words(graph);
    m_work = words.subject();
    m_reference = words.reference();
    const std::vector<std::int64_t> excessNs = excessWorkNs(graph);
    for (const Worker &worker : trace.workers)
        if (worker.id.value < excessNs.size())
            m_threadNs[worker.rank] = excessNs[worker.id.value] / std::max(1, graph.iterationCount);
}

bool OwnTime::canExplain(int rank) const
{
    if (m_source == Source::Accelerator)
        return excess(m_computeNs, rank) + excess(m_idleNs, rank) > 0;
    return m_source == Source::None || excess(m_threadNs, rank) > 0;
}

bool OwnTime::isHeldUpByHost(int rank) const
{
    const std::int64_t idleNs = excess(m_idleNs, rank);
    return m_source == Source::Accelerator && idleNs > 0 && idleNs > excess(m_computeNs, rank);
}

std::vector<std::string> OwnTime::lines(int rank, const IterationWords &words) const
{
    switch (m_source) {
    case Source::Accelerator:
        return { "Computation and copies" + words.per() + ": " + byRankText(m_computeNs, rank)
                     + ".",
                 "Accelerator idle" + words.per()
                     + ", without communication: " + byRankText(m_idleNs, rank) + "." };
    case Source::Threads:
        return { "Beyond " + m_reference + words.per() + ", " + m_work + ": "
                 + byRankText(m_threadNs, rank) + "." };
    case Source::None:
        break;
    }
    return { "Only communication is recorded. Why rank " + std::to_string(rank)
             + " comes late is not known." };
}

} // namespace core
