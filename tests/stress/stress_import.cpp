// Eight ranks are imported by four threads, with and without room in memory, and by one: the
// project is the same, also after an import that was cancelled from another thread.
#include "core/base/error.h"
#include "core/pipeline/pipeline.h"
#include "tests/core/project/random_trace.h"
#include "tests/support/generate/generate_kineto.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace core;

namespace {

constexpr int rankCount = 8;
constexpr std::uint64_t eventsPerRank = 6'000;

void writeBundle(const std::filesystem::path &folder)
{
    std::filesystem::create_directory(folder);
    for (int rank = 0; rank < rankCount; ++rank) {
        std::ofstream file(folder / ("rank" + std::to_string(rank) + ".json"), std::ios::binary);
        tests::generateKineto(file, { eventsPerRank, rank, rankCount, 1 });
    }
}

/// The project's bytes; nothing is left of it.
std::string imported(const std::filesystem::path &bundle, const std::filesystem::path &project,
                     const ImportOptions &options)
{
    const ImportReport report = importBundle({ bundle }, project, options, {});
    std::ifstream file(project, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    file.close();
    std::filesystem::remove(project);
    return report.filesRead == rankCount ? bytes : std::string();
}

/// Progress never falls back, and the import ends with Cancelled or with the project.
bool survivesCancel(const std::filesystem::path &bundle, const std::filesystem::path &project,
                    int reportsUntilCancel)
{
    std::atomic<bool> isCancelled { false };
    int reports = 0;
    double last = 0;
    bool isMonotone = true;
    const JobControl control([&] { return isCancelled.load(); },
                             [&](double fraction, std::string_view) {
                                 isMonotone = isMonotone && fraction >= last;
                                 last = fraction;
                                 isCancelled = ++reports == reportsUntilCancel;
                             });
    ImportOptions options;
    options.jobs = 4;
    try {
        importBundle({ bundle }, project, options, control);
        std::filesystem::remove(project);
    } catch (const Cancelled &) {
    }
    return isMonotone && !std::filesystem::exists(project);
}

} // namespace

int main()
{
    const tests::TemporaryProject file;
    const std::filesystem::path bundle = file.path.parent_path() / "bundle";
    writeBundle(bundle);
    ImportOptions one, four, small;
    one.jobs = 1;
    four.jobs = 4;
    small.jobs = 4;
    small.memoryLimitMib = SmallestMemoryLimitMib;
    const std::string expected = imported(bundle, file.path, one);
    if (expected.empty() || imported(bundle, file.path, four) != expected
        || imported(bundle, file.path, small) != expected) {
        std::printf("a project depends on how many threads read its files\n");
        return EXIT_FAILURE;
    }
    for (const int reports : { 1, 5, 20, 60 }) {
        if (!survivesCancel(bundle, file.path, reports)) {
            std::printf("an import cancelled after %d reports went wrong\n", reports);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
