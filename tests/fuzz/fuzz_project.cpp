// A project from a stranger: a sound one whose bytes were changed. The input is a list of changes:
// offset (4 bytes), length (1 byte), the new bytes. Every window, search and query of a user is
// tried; the file may be refused, but must not crash, hang or take unbounded memory.
#include "core/base/error.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "core/sqlite/database.h"
#include "tests/core/project/random_trace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::filesystem::path scratchFile()
{
    static const std::filesystem::path path = std::filesystem::temp_directory_path()
        / ("longpole-fuzz-" + std::to_string(::getpid()) + ".longpole");
    return path;
}

/// Without the free space of the pages, where changes change nothing.
void pack(const std::filesystem::path &project)
{
    core::Database(project, core::OpenMode::ReadWrite).execute("PRAGMA page_size = 512; VACUUM");
}

std::string soundProject()
{
    const tests::TemporaryProject project;
    core::ProjectWriter writer(project.path, false);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        core::CollectedFile file({ "rank" + std::to_string(rank) + ".json", "kineto", 1 });
        const core::WorkerId worker = file.addWorker();
        file.describeWorker(worker, { static_cast<int>(rank), 2, "host" });
        const core::TrackId track
            = file.track(worker, { core::TrackKind::HostThread, "1", "2", {} });
        tests::writeRows(file, track, tests::RandomTrace(rank).rows(300, 1'000'000));
        file.memory(worker, { 5, 0, 0x1000, 4096, 4096, 8192 });
        file.dependency(worker, { core::DependencyKind::Data, core::DependencyKey::Node, 1, 2 });
        writer.add(file, [] { return std::nullopt; }, {});
    }
    writer.finish();
    pack(project.path);
    std::ifstream stream(project.path, std::ios::binary);
    return { std::istreambuf_iterator<char>(stream), {} };
}

std::string changed(std::string bytes, const std::uint8_t *data, std::size_t size)
{
    constexpr std::size_t HeaderBytes = 5;
    for (std::size_t at = 0; at + HeaderBytes <= size;) {
        std::uint32_t offset = 0;
        std::memcpy(&offset, data + at, sizeof offset);
        const std::size_t target = offset % bytes.size();
        const std::size_t length = std::min({ static_cast<std::size_t>(data[at + 4]),
                                              size - at - HeaderBytes, bytes.size() - target });
        std::memcpy(bytes.data() + target, data + at + HeaderBytes, length);
        at += HeaderBytes + length;
    }
    return bytes;
}

template <class Function>
void attempt(const Function &function)
{
    try {
        function();
    } catch (const core::Error &) {
        // refused: as good as read
    }
}

void readWindows(const core::ProjectReader &reader)
{
    for (const core::Track &track : reader.info().tracks)
        for (const std::int64_t resolutionNs : { 0, 1'000'000 })
            attempt([&] { reader.readWindow(track.id, track.range, resolutionNs); });
    for (std::uint32_t id = 0; id < 4; ++id)
        attempt([&] { reader.slice(core::SliceId(id)); });
}

void readTables(const core::ProjectReader &reader)
{
    for (const core::Worker &worker : reader.info().workers)
        attempt([&] { reader.memory(worker.id); });
    attempt([&] { reader.collectives(); });
    attempt([&] { reader.syncs(); });
    attempt([&] { reader.readTrace({}); });
    attempt([&] { reader.readOutline([](std::string_view) { return true; }, {}); });
}

void searchAndQuery(const core::ProjectReader &reader)
{
    attempt([&] { reader.findByName("a", 10); });
    attempt([&] { reader.findByArgs("a", 10, {}); });
    for (const char *sql : { "SELECT name, count(*), sum(dur_ns) FROM slice GROUP BY name",
                             "SELECT name, sum(dur_ns) FROM slice_total GROUP BY name",
                             "SELECT args FROM slice WHERE name LIKE '%a%'",
                             "SELECT * FROM memory WHERE rank = 1", "SELECT * FROM dependency" })
        attempt([&] { reader.query(sql, 10, {}); });
}

} // namespace

// libFuzzer calls a function of this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const std::string sound = soundProject();
    {
        const std::string bytes = changed(sound, data, size);
        std::ofstream file(scratchFile(), std::ios::binary | std::ios::trunc);
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    attempt([] {
        const core::ProjectReader reader(scratchFile());
        readWindows(reader);
        readTables(reader);
        searchAndQuery(reader);
    });
    return 0;
}
