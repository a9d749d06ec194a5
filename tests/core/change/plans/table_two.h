#pragma once

#include "core/graph/graph.h"
#include "core/replay/replay.h"
#include "tests/support/graph_text.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace tests {

/// Times of a bucket's layers and of its all-reduce, us.
struct BucketTimes
{
    std::int64_t forward = 0, backward = 0, communication = 0;
};

/// DeFT, table II: VGG-19, in the order of the forward pass. Its header says ms; the times are us.
/// The printed sum of communication, 257,725, is a misprint: the rows add up to 247,725.
inline std::vector<BucketTimes> tableTwo()
{
    return { { 1238, 72496, 1968 },  { 28799, 12786, 11262 }, { 4801, 4872, 15447 },
             { 1899, 2319, 178643 }, { 326, 484, 31754 },     { 103, 162, 8651 } };
}

inline std::int64_t sumOf(const std::vector<BucketTimes> &rows, std::int64_t BucketTimes::*member)
{
    std::int64_t sum = 0;
    for (const BucketTimes &row : rows)
        sum += row.*member;
    return sum;
}

/// Computation alone.
inline std::int64_t computationOf(const std::vector<BucketTimes> &rows)
{
    return sumOf(rows, &BucketTimes::forward) + sumOf(rows, &BucketTimes::backward);
}

/// All schedules with synchronous updates take as long or longer: the last layer's forward pass
/// waits for all that is sent, and nothing of the next iteration is there before its backward pass.
inline std::int64_t leastSynchronous(const std::vector<BucketTimes> &rows)
{
    return sumOf(rows, &BucketTimes::communication) + rows.back().forward + rows.back().backward;
}

/// How the buckets are sent.
struct Sending
{
    std::vector<std::int64_t> priorities = {}; ///< by bucket; empty: in the order of readiness
    bool preempts = false; ///< also within a slice
    bool hasBarrier = false; ///< the forward pass waits for all buckets, not for its own
    std::int64_t slice = 0; ///< us; 0: whole buckets
    std::int64_t latency = 0; ///< us, of each slice
    int iterations = 10;
};

/// Iterations of one processor and one link, one behind the other.
inline std::string sendingText(const std::vector<BucketTimes> &rows, const Sending &sending)
{
    const std::string link = sending.preempts ? "preempting"
        : sending.priorities.empty()          ? "wire"
                                              : "urgent";
    std::string text;
    for (int i = 0; i < sending.iterations; ++i) {
        const std::string now = "_" + std::to_string(i), next = "_" + std::to_string(i + 1);
        const auto chain = [&](const std::string &op, std::int64_t time) {
            text += (text.empty() || text.back() == '\n' ? "" : " -> ") + op + now + ":"
                + std::to_string(time) + "@gpu";
        };
        for (std::size_t b = 0; b < rows.size(); ++b)
            chain("f" + std::to_string(b), rows[b].forward);
        for (std::size_t b = rows.size(); b-- > 0;)
            chain("b" + std::to_string(b), rows[b].backward);
        text += " -> f0" + next + ":" + std::to_string(rows[0].forward) + "@gpu\n";
        for (std::size_t b = rows.size(); b-- > 0;) {
            std::int64_t left = rows[b].communication;
            for (int k = 0; left > 0; ++k) {
                const std::int64_t slice
                    = sending.slice == 0 ? left : std::min(left, sending.slice);
                left -= slice;
                const std::size_t awaits = sending.hasBarrier ? 0 : b;
                text += "b" + std::to_string(b) + now + " -> c" + std::to_string(b) + "."
                    + std::to_string(k) + now + ":" + std::to_string(slice + sending.latency) + "@"
                    + link
                    + (sending.priorities.empty() ? ""
                                                  : "!" + std::to_string(sending.priorities[b]))
                    + " -> f" + std::to_string(awaits) + next + ":"
                    + std::to_string(rows[awaits].forward) + "@gpu\n";
            }
        }
    }
    return text;
}

/// Time of an iteration in the steady state, us, the mean of the last four. `least`: of any of
/// them.
inline double periodOf(const std::vector<BucketTimes> &rows, const Sending &sending)
{
    const core::Graph graph = graphFromText(sendingText(rows, sending));
    const core::ReplayResult replayed = core::replay(graph, {});
    const auto endOf = [&](int iteration) {
        const std::string name = "b0_" + std::to_string(iteration);
        for (std::size_t i = 0; i < graph.size(); ++i)
            if (graph.names[graph.name[i].value] == name)
                return replayed.endNs[i];
        return std::int64_t { 0 };
    };
    constexpr int Counted = 4;
    const int last = sending.iterations - 2;
    return static_cast<double>(endOf(last) - endOf(last - Counted)) / Counted;
}

} // namespace tests
