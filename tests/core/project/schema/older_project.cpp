#include "older_project.h"

#include "core/project/codec/column_codec.h"
#include "core/project/codec/compression.h"
#include "core/project/codec/slice_codec.h"
#include "core/sqlite/database.h"

#include <QTest>

#include <fstream>
#include <iterator>

using namespace core;

namespace tests {

namespace fs = std::filesystem;

namespace {

    SliceColumns threeSlices()
    {
        SliceColumns slices;
        slices.startNs = { 1000, 1100, 1500 };
        slices.durationNs = { 400, 100, 50 };
        slices.name = { NameId(1), NameId(2), NameId(1) };
        slices.category = { Category::CpuOp, Category::Runtime, Category::CpuOp };
        slices.phase = { Phase::Forward, Phase::Forward, Phase::None };
        slices.depth = { 0, 1, 0 };
        return slices;
    }

    /// The columns of a chunk's links: version 1 has no node.
    ByteBuffer linksOf(int version)
    {
        using Column = std::vector<std::uint64_t>;
        ByteBuffer out;
        for (const Column &column : { Column { 0, 77, 0 }, Column { 5, 5, 6 }, Column { 1, 0, 0 },
                                      Column { 0, 0, 0 }, Column { 64, 0, 0 }, Column { 1, 0, 0 } })
            encodeColumn(column, out);
        if (version > 1)
            encodeColumn(Column { 0, 0, 0 }, out);
        return out;
    }

    void insertSlices(Database &db, int version)
    {
        const SliceColumns slices = threeSlices();
        ByteBuffer hot;
        encodeHot(slices, 0, slices.size(), hot);
        const ByteBuffer carried = encodeCarried({});
        Statement(db, "INSERT INTO slice_hot VALUES (0, ?, ?)")
            .bindAll(ByteSpan(carried), ByteSpan(hot))
            .run();
        Compressor compressor;
        const ByteBuffer links = linksOf(version);
        Statement(db, "INSERT INTO slice_links VALUES (0, ?, ?)")
            .bindAll(static_cast<std::uint64_t>(links.size()), compressor.compress(links))
            .run();
        const std::string text = "{\"n\": 1}";
        ByteBuffer args = { 8, 0, 0, 0 };
        args.insert(args.end(), text.begin(), text.end());
        Statement(db, "INSERT INTO args_block VALUES (0, 1, ?, ?)")
            .bindAll(static_cast<std::uint64_t>(args.size()), compressor.compress(args))
            .run();
    }

} // namespace

fs::path schemaOfVersion(int version)
{
    return LONGPOLE_SOURCE_DIR "/tests/data/project/schema_version_" + std::to_string(version)
        + ".sql";
}

std::string readBytes(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return { std::istreambuf_iterator<char>(file), {} };
}

void writeVersion(int version, const fs::path &path)
{
    Database db(path, OpenMode::Create);
    db.execute(readBytes(schemaOfVersion(version)));
    db.execute("PRAGMA user_version = " + std::to_string(version));
    const std::string source = version == 2
        ? "INSERT INTO source_file VALUES (NULL, 'rank4.json', 'kineto', 500, 'read', '');"
        : "INSERT INTO source_file VALUES (NULL, 'rank4.json', 'kineto', 500, 'read', '', 7, 'f');";
    db.execute(
        version == 1
            ? "INSERT INTO source_file VALUES (NULL, 'rank4.json', 'kineto', 500);"
              "INSERT INTO worker_file VALUES (0, 'rank4.json');"
              "INSERT INTO track VALUES (0, 0, 'host_thread', '1', '2', 'thread 2', NULL, 0, 3, 2, "
              "1000, 1550);"
              "INSERT INTO iteration VALUES (0, 3, 1000, 1550)"
            : source
                + "INSERT INTO worker_file VALUES (0, 'rank4.json', 1);"
                  "INSERT INTO track VALUES (0, 0, 'host_thread', '1', '2', 'thread 2', NULL, 0, "
                  "3, 2, "
                  "1000, 1550, 1);"
                  "INSERT INTO iteration VALUES (0, 3, 1000, 1550, 0);"
                  "INSERT INTO file_event_count VALUES (1, 'cpu_op', 2), (1, 'cuda_runtime', 1);"
                  "DELETE FROM property");
    db.execute("INSERT INTO worker VALUES (0, 4, 'node1', 8);"
               "INSERT INTO name VALUES (0, ''), (1, 'aten::mm'), (2, 'cudaLaunchKernel');"
               "INSERT INTO event_count VALUES (0, 'cpu_op', 2), (0, 'cuda_runtime', 1);"
               "INSERT INTO slice_chunk VALUES (0, 0, 3, 1000, 1500, 1550);");
    db.execute(std::string("INSERT INTO alignment VALUES (0, 5, 0.5, 1000, 1, 0, 1")
               + (version > 3 ? ", 0, 0)" : ")"));
    db.execute(
        std::string("INSERT INTO collective_call VALUES (1, 0, 'all_reduce', '', NULL, 64, 8")
        + (version > 4 ? ", NULL)" : ")"));
    const std::string diagnostic = "('bad-time', 'error', 2, 'rank4.json', 9, 'odd'";
    db.execute("INSERT INTO diagnostic VALUES " + diagnostic + (version > 2 ? ", 1)" : ")"));
    insertSlices(db, version);
}

void checkContent(const ProjectReader &reader)
{
    QCOMPARE(reader.info().workers.at(0).rank, 4);
    QCOMPARE(reader.info().workers[0].files, std::vector<std::string> { "rank4.json" });
    QCOMPARE(reader.info().tracks.at(0).file, FileId(1));
    QCOMPARE(reader.info().files.at(0).name, std::string("rank4.json"));
    QCOMPARE(reader.info().files[0].status, FileStatus::Read);
    QCOMPARE(reader.info().files[0].ranks, std::vector<int> { 4 });
    QCOMPARE(reader.info().files[0].eventsByCategory.at("cpu_op"), 2U);
    QCOMPARE(reader.info().formats, std::vector<std::string> { "kineto" });
    QCOMPARE(reader.info().diagnostics.at(0).code, std::string("bad-time"));
    QVERIFY(reader.info().diagnostics[0].losesRecords);
    const Alignment &alignment = reader.info().alignment.workers.at(0);
    QCOMPARE(alignment.toAligned(3'000'000), 3'000'006);
    QCOMPARE(alignment.uncertaintyNs, 0);
    QVERIFY(alignment.isKnown && !alignment.isAsRecorded);
    const Trace trace = reader.readTrace({});
    QCOMPARE(trace.slices.at(0).correlation, (std::vector<std::uint64_t> { 0, 77, 0 }));
    QCOMPARE(trace.slices[0].node, (std::vector<std::uint64_t> { 0, 0, 0 }));
    QCOMPARE(trace.iterations.at(0).index, 3);
    QVERIFY(!trace.iterations[0].isStated);
    QCOMPARE(trace.collectives.at(0).bytes, 64U);
    QVERIFY(!trace.collectives[0].readyNs);
    QVERIFY(trace.transfers.empty() && trace.tensors.empty() && trace.dependencies.empty());
    QVERIFY(reader.memory(WorkerId(0)).empty());
    QCOMPARE(reader.slice(SliceId(0))->args, std::string("{\"n\": 1}"));
    const auto rows = reader.query(
        "SELECT (SELECT group_concat(name) FROM slice), (SELECT count(*) FROM step), (SELECT "
        "count(*) FROM transfer), (SELECT count(*) FROM memory), (SELECT file FROM track), "
        "(SELECT coalesce(raw_ready_ns, 1) FROM collective), "
        "(SELECT offset_ns - 4 + is_by_hand FROM clock), (SELECT number - 2 FROM rank_iteration), "
        "(SELECT count(drift_ppm) FROM file_clock), (SELECT count(source_file) FROM iteration)",
        1, {});
    QCOMPARE(rows.rows.at(0).at(0).value(), std::string("aten::mm,cudaLaunchKernel,aten::mm"));
    for (const std::size_t column : { 1U, 4U, 5U, 6U, 7U })
        QCOMPARE(rows.rows[0].at(column).value(), std::string("1"));
    for (const std::size_t column : { 2U, 3U, 8U, 9U })
        QCOMPARE(rows.rows[0].at(column).value(), std::string("0"));
}

} // namespace tests
