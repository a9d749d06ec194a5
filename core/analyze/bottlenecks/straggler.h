#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/iteration_words.h"
#include "core/analyze/report/collective_report.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace core {

/// Why a rank comes last to collectives: what it does itself, beside the other ranks. On
/// accelerators that is all time in which the device does not communicate, computing or idle; in
/// CPU training the work of its threads. Where only communication is recorded it is not known.
class OwnTime
{
public:
    /// `ranks`: see Diagnosis::ranks. Times are means over the compared iterations.
    OwnTime(const Trace &trace, const Graph &graph, const std::vector<RankDiagnosis> &ranks);

    /// Does the rank take longer than the median rank, so that it can be to blame? True where
    /// nothing but communication is recorded: then its readiness is all that is known.
    bool canExplain(int rank) const;
    /// The rank's accelerator is idle for longer, more than it computes for longer.
    bool isHeldUpByHost(int rank) const;
    /// Evidence about `rank` beside the others, with numbers.
    std::vector<std::string> lines(int rank, const IterationWords &words) const;

private:
    enum class Source { Accelerator, Threads, None };
    using ByRank = std::map<int, std::int64_t>;

    void addAccelerators(const std::vector<RankDiagnosis> &ranks);
    void addThreads(const Trace &trace, const Graph &graph);

    Source m_source = Source::None;
    ByRank m_computeNs, m_idleNs; ///< of accelerators; copies count as computation
    ByRank m_threadNs; ///< beyond the median rank
    std::string m_work, m_reference; ///< what these are of, and beyond; see OwnWorkWords
};

/// "rank 0 4.1 ms, rank 1 2.0 ms"; of many ranks only `rank` and the median of the others.
std::string byRankText(const std::map<int, std::int64_t> &nsByRank, int rank);

} // namespace core
