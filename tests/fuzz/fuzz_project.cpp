// A project from a stranger: a sound one that was changed. An input that begins with an even byte
// goes on with a list of changes: offset (4 bytes), length (1 byte), the new bytes. Any other one
// goes on with a list of chunks, as changed bytes are no sound zstd: kind (1 byte), rows (4 bytes),
// length (1 byte), the uncompressed bytes, such as columns of no width. Every window, search and
// query of a user is tried; the file may be refused, but must not crash, hang or take unbounded
// memory.
#include "core/base/error.h"
#include "core/project/codec/compression.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "core/sqlite/database.h"
#include "tests/core/project/random_trace.h"

#include <unistd.h>

#include <algorithm>
#include <array>
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

/// By the kind of a chunk; ?1 rows, ?2 uncompressed size, ?3 the bytes, compressed, ?4 as they are.
constexpr std::array ChunkSql {
    "INSERT INTO dependency_chunk VALUES (NULL, 0, ?1, ?2, ?3)",
    "INSERT INTO memory_chunk VALUES (NULL, 0, ?1, 0, 1, ?2, ?3, NULL)",
    "UPDATE slice_links SET raw_bytes = ?2, data = ?3 WHERE ?1 >= 0",
    "UPDATE level_chunk SET own_count = ?1, data = ?4 WHERE ?2 >= 0",
    "UPDATE slice_index SET name_count = ?1, names = ?4 WHERE ?2 >= 0",
    "UPDATE args_block SET count = ?1, raw_bytes = ?2, data = ?3",
    "UPDATE slice_chunk SET row_count = ?1 WHERE ?2 >= 0",
    "UPDATE track SET slice_count = ?1 WHERE ?2 >= 0",
    "ALTER TABLE name ADD COLUMN more AS (zeroblob(1 << 25)) VIRTUAL",
};

void addChunks(const std::uint8_t *data, std::size_t size)
{
    constexpr std::size_t HeaderBytes = 6;
    core::Database db(scratchFile(), core::OpenMode::ReadWrite);
    core::Compressor compressor;
    for (std::size_t at = 0; at + HeaderBytes <= size;) {
        std::uint32_t rows = 0;
        std::memcpy(&rows, data + at + 1, sizeof rows);
        const std::size_t length
            = std::min(static_cast<std::size_t>(data[at + 5]), size - at - HeaderBytes);
        const core::ByteSpan raw(data + at + HeaderBytes, length);
        core::Statement add(db, ChunkSql[data[at] % ChunkSql.size()]);
        add.bind(0, std::int64_t(rows));
        add.bind(1, std::uint64_t(length));
        add.bind(2, compressor.compress(raw));
        add.bind(3, raw);
        add.run();
        at += HeaderBytes + length;
    }
}

void write(const std::string &bytes)
{
    std::ofstream file(scratchFile(), std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
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
    if (size == 0)
        return 0;
    if (data[0] % 2 == 0) {
        write(changed(sound, data + 1, size - 1));
    } else {
        write(sound);
        attempt([&] { addChunks(data + 1, size - 1); });
    }
    attempt([] {
        const core::ProjectReader reader(scratchFile());
        readWindows(reader);
        readTables(reader);
        searchAndQuery(reader);
    });
    return 0;
}
