#pragma once

#include "core/pipeline/pipeline.h"
#include "tests/support/generate/generate_kineto.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace bench {

/// LONGPOLE_BENCH_PROJECT, else a project of one rank of 1,000,000 generated events, or of several
/// of 240,000 each, which 157,000 slices come from (20,000 for a smoke test in all). It is imported
/// into LONGPOLE_BINARY_DIR at the first run. Several programs may ask at once: each makes its own,
/// and the last one's name stays.
inline std::filesystem::path generatedProject(int ranks = 1)
{
    if (const char *named = std::getenv("LONGPOLE_BENCH_PROJECT"))
        return named;
    const bool isSmoke = std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr;
    const std::uint64_t events = isSmoke ? 20'000 / static_cast<std::uint64_t>(ranks)
        : ranks == 1                     ? 1'000'000
                                         : 240'000;
    const std::filesystem::path folder(LONGPOLE_BINARY_DIR);
    const std::string stem
        = "bench_timeline_" + std::to_string(ranks) + "_" + std::to_string(events);
    const std::filesystem::path project = folder / (stem + ".longpole");
    if (!std::filesystem::exists(project)) {
        const std::string own = stem + "_" + std::to_string(::getpid());
        const std::filesystem::path traces = folder / own;
        const std::filesystem::path unfinished = folder / (own + ".longpole");
        std::filesystem::create_directory(traces);
        for (int rank = 0; rank < ranks; ++rank) {
            std::ofstream out(traces / ("rank" + std::to_string(rank) + ".json"), std::ios::binary);
            tests::generateKineto(
                out, { .events = events, .rank = rank, .worldSize = std::max(2, ranks) });
        }
        core::importBundle({ traces }, unfinished, {}, {});
        std::filesystem::rename(unfinished, project);
        std::filesystem::remove_all(traces);
    }
    return project;
}

} // namespace bench
