// Several projects are written at the same time, and one is read by many threads while another
// import appends to it: what the window does when a second trace is dropped onto an open project.
#include "core/base/error.h"
#include "core/project/read/project_reader.h"
#include "tests/core/project/random_trace.h"
#include "tests/support/in_threads.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>

using namespace core;

namespace {

constexpr std::size_t threadCount = 4;
constexpr std::size_t rowCount = 20'000;
constexpr std::int64_t spanNs = 1'000'000'000;
constexpr int windowsPerThread = 40;

/// One file of one rank, as an importer writes it.
void writeRank(ProjectWriter &writer, int rank)
{
    CollectedFile file({ "rank" + std::to_string(rank) + ".json", "kineto", 1000 });
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { rank, 2, "host" });
    const TrackId track = file.track(worker, { TrackKind::HostThread, "1", "2", {} });
    tests::writeRows(
        file, track,
        tests::RandomTrace(static_cast<std::uint32_t>(rank) + 1).rows(rowCount, spanNs));
    file.countEvents(worker, "cpu_op", rowCount);
    if (writer.add(file, tests::noRank, {}) != AddResult::Added) {
        throw Error("rank " + std::to_string(rank) + " was not taken");
    }
}

void writeProject(const std::filesystem::path &path, int rank, bool append)
{
    ProjectWriter writer(path, append);
    writeRank(writer, rank);
    writer.finish();
}

/// Reads windows all over the first track; true if each holds single slices of the window.
bool readWindows(const std::filesystem::path &path, std::int64_t firstStartNs)
{
    const ProjectReader reader(path);
    for (int turn = 0; turn < windowsPerThread; ++turn) {
        const std::int64_t from = firstStartNs + spanNs / windowsPerThread * turn;
        const TimeRange range { from, from + spanNs / 100 };
        const TrackWindow window = reader.readWindow(TrackId(0), range, 0);
        if (!window.isExact || window.ids.size() != window.slices.size()) {
            return false;
        }
    }
    return reader.readTrack(TrackId(0)).size() == rowCount;
}

std::int64_t firstStart(const std::filesystem::path &path)
{
    return ProjectReader(path).readTrack(TrackId(0)).startNs.front();
}

/// Thread 0 appends a rank while the others read what was there before.
bool readersStandAnAppend(const std::filesystem::path &path)
{
    const std::int64_t firstStartNs = firstStart(path);
    std::atomic<bool> isRight { true };
    tests::inThreads(threadCount, [&](std::size_t index) {
        try {
            if (index == 0) {
                writeProject(path, 1, true);
            } else if (!readWindows(path, firstStartNs)) {
                isRight = false;
            }
        } catch (const std::exception &error) {
            std::printf("thread %zu: %s\n", index, error.what());
            isRight = false;
        }
    });
    return isRight && ProjectReader(path).info().workers.size() == 2;
}

} // namespace

int main()
{
    const tests::TemporaryProject files[threadCount];
    tests::inThreads(threadCount,
                     [&](std::size_t index) { writeProject(files[index].path, 0, false); });
    for (const tests::TemporaryProject &file : files) {
        if (!readWindows(file.path, firstStart(file.path))) {
            std::printf("a project written beside others is not what was written\n");
            return EXIT_FAILURE;
        }
    }
    if (!readersStandAnAppend(files[0].path)) {
        std::printf("readers were disturbed by an append to their project\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
