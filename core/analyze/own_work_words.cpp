#include "core/analyze/own_work_words.h"

#include "core/base/duration_text.h"
#include "core/measure/own_work.h"

#include <algorithm>
#include <vector>

namespace core {

namespace {

    /// What a rank's own work is summed over.
    struct WorkRows
    {
        std::size_t most = 0; ///< of a rank
        bool isEqual = true; ///< as many on each rank that works
        bool hasStreams = false;
    };

    WorkRows workRows(const Graph &graph)
    {
        const std::vector<bool> isOwn = ownWork(graph);
        std::vector<bool> works(graph.devices.size(), false);
        std::vector<std::size_t> rows(graph.workerCount(), 0);
        WorkRows result;
        for (std::size_t op = 0; op < graph.size(); ++op) {
            const std::size_t device = graph.device[op].value;
            if (!isOwn[op] || works[device] || graph.kind[op] == OpKind::Virtual)
                continue;
            works[device] = true;
            result.hasStreams = result.hasStreams || graph.devices[device].isStream;
            ++rows[graph.worker[op].value];
        }
        std::erase(rows, std::size_t { 0 });
        if (rows.empty())
            return result;
        result.most = *std::max_element(rows.begin(), rows.end());
        result.isEqual = *std::min_element(rows.begin(), rows.end()) == result.most;
        return result;
    }

    std::string sumText(const WorkRows &rows, bool isComputing)
    {
        if (rows.most < 2)
            return {};
        const char *noun = !isComputing ? " rows"
            : rows.hasStreams           ? " streams and threads"
                                        : " threads";
        return "on any of its " + std::string(rows.isEqual ? "" : "up to ")
            + std::to_string(rows.most) + noun;
    }

    std::string referenceText(const Graph &graph)
    {
        const std::size_t working = ranksWithOwnWork(graph);
        const bool areAll = working == graph.workerCount();
        if (working == 2)
            return areAll ? "the mean of both ranks" : "the mean of the 2 ranks that work";
        return areAll ? "the median of all ranks"
                      : "the median of the " + countText(working, "rank") + " that "
                + (working == 1 ? "works" : "work");
    }

} // namespace

OwnWorkWords::OwnWorkWords(const Graph &graph)
    : m_reference(referenceText(graph))
{
    const bool isComputing
        = std::find(graph.kind.begin(), graph.kind.end(), OpKind::Compute) != graph.kind.end();
    const std::string rows = sumText(workRows(graph), isComputing);
    if (!isComputing) {
        m_subject = "time between transfers" + (rows.empty() ? rows : " (" + rows + ")");
        return;
    }
    // A rank that sleeps is not at work: atWorkNs() has the delays before its ops, too.
    m_subject = "own work (with gaps between operations" + (rows.empty() ? rows : ", " + rows)
        + (graph.slowdown > 1 ? std::string(", ") + WithoutOverlap : std::string()) + ")";
}

} // namespace core
