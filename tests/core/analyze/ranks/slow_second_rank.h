#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/iterations.h"
#include "core/fit/links/measured_graph.h"
#include "core/model/compared_iterations.h"
#include "tests/support/trace_builder.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

namespace tests {

constexpr std::int64_t Ms = 1'000'000;

/// Within 0.1 ms; both in ns.
inline bool isNear(std::int64_t value, std::int64_t expected)
{
    return std::abs(value - expected) < Ms / 10;
}

/// Two ranks, three iterations of 110 ms. Rank 0 computes 40 ms, rank 1 80 ms; the all-reduce takes
/// 20 ms once both have come; 10 ms of update follow.
///
///     rank 0  |forward 40|---- waits ----|transfer 20|update 10|
///     rank 1  |forward 80                |transfer 20|update 10|
inline core::Trace slowSecondRank()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank) {
        text += "rank " + std::to_string(rank) + "\n";
        std::string host = "thread main\n", backend = "comm gloo\n";
        for (int i = 0; i < 3; ++i) {
            const int begin = i * 110'000, compute = rank == 0 ? 40'000 : 80'000;
            const auto line
                = [](const std::string &name, int start, int duration, const std::string &rest) {
                      return name + " " + std::to_string(start) + " " + std::to_string(duration)
                          + " " + rest + "\n";
                  };
            host += line("ProfilerStep#" + std::to_string(i), begin, 110'000, "user_annotation");
            host += line("forward", begin, compute, "");
            host += line("c10d::allreduce_", begin + compute, 0, "");
            host += line("update", begin + 100'000, 10'000, "");
            backend += line("gloo:all_reduce", begin + compute, 100'000 - compute,
                            "kind=all_reduce bytes=1000000");
        }
        text += host + backend;
    }
    core::Trace trace = traceFromText(text);
    trace.iterations = core::detectIterations(trace);
    trace.compared = core::comparedIterations(trace);
    // Its transfers are all alike; what is stated tells that their time goes with their bytes.
    trace.stated.bandwidthMbit = 420;
    return trace;
}

inline core::Diagnosis diagnosed(const core::Trace &trace)
{
    return core::diagnose(trace, std::make_shared<core::Graph>(core::measuredGraph(trace, {})), {});
}

/// Null where nothing of the kind is found.
inline const core::Bottleneck *find(const core::Diagnosis &diagnosis, const std::string &kind)
{
    for (const core::Bottleneck &bottleneck : diagnosis.bottlenecks)
        if (bottleneck.kind == kind)
            return &bottleneck;
    return nullptr;
}

} // namespace tests
