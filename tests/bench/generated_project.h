#pragma once

#include "core/pipeline/pipeline.h"
#include "tests/support/generate/generate_kineto.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace bench {

/// LONGPOLE_BENCH_PROJECT, else a project of one rank of 1,000,000 generated events (20,000 for a
/// smoke test) that is imported into LONGPOLE_BINARY_DIR at the first run. Several programs may ask
/// at once: each makes its own, and the last one's name stays.
inline std::filesystem::path generatedProject()
{
    if (const char *named = std::getenv("LONGPOLE_BENCH_PROJECT"))
        return named;
    const bool isSmoke = std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr;
    const std::uint64_t events = isSmoke ? 20'000 : 1'000'000;
    const std::filesystem::path folder(LONGPOLE_BINARY_DIR);
    const std::string stem = "bench_timeline_" + std::to_string(events);
    const std::filesystem::path project = folder / (stem + ".longpole");
    if (!std::filesystem::exists(project)) {
        const std::string own = stem + "_" + std::to_string(::getpid());
        const std::filesystem::path trace = folder / (own + ".json");
        const std::filesystem::path unfinished = folder / (own + ".longpole");
        {
            std::ofstream out(trace, std::ios::binary);
            tests::generateKineto(out, { .events = events });
        }
        core::importBundle({ trace }, unfinished, {}, {});
        std::filesystem::rename(unfinished, project);
        std::filesystem::remove(trace);
    }
    return project;
}

} // namespace bench
