// Two files of a rank, the second by a clock that is off and drifts: all that it tells is moved.

#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "core/sqlite/database.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

using namespace core;
using tests::TemporaryProject;

namespace {

constexpr std::int64_t SecondNs = 1'000'000'000;
/// 100.5 ppm slow, and five seconds early.
FileClock clockOfSecond()
{
    return { WorkerId(0), FileId(2), 5 * SecondNs, true, 100.5, 10 * SecondNs };
}

/// A file of rank 0 with a step of ten seconds, an allocation at its end, and slices in it: nested
/// ones that end together, or very many, one after the other.
void addFile(ProjectWriter &writer, const std::string &name, std::int64_t fromNs,
             std::size_t slices, bool hasSteps)
{
    CollectedFile file({ name, name, 1 });
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { 0, 1, "" });
    const TrackId track = file.track(worker, { TrackKind::HostThread, name, "1", {} });
    for (std::size_t i = 0; i < slices; ++i) {
        SliceRecord slice;
        const auto row = static_cast<std::int64_t>(i);
        slice.startNs = fromNs + row * (slices > 255 ? 100'000 : 1000);
        slice.durationNs = slices > 255 ? 50'000 : 10 * SecondNs - row * 1000;
        slice.name = file.intern("op of " + name);
        file.slice(track, slice);
    }
    file.memory(worker, { fromNs + 10 * SecondNs, {}, 1, 64, 64, 64 });
    if (hasSteps)
        file.iteration(worker, 7, { fromNs, fromNs + 10 * SecondNs });
    QVERIFY(writer.add(file, tests::noRank, {}) == AddResult::Added);
}

void writeProject(const std::filesystem::path &path, std::size_t slices = 3)
{
    ProjectWriter writer(path, false, {});
    addFile(writer, "first", 15 * SecondNs, 1, false);
    addFile(writer, "second", 10 * SecondNs, slices, true);
    writer.setFileClocks({ clockOfSecond() });
    // What the ranks' analysis finds beside what is stated.
    writer.setIterations({ { WorkerId(0), 0, { 1, 2 } } });
    writer.finish(ImportEnd::Complete);
}

QString cell(const ProjectReader &reader, const char *sql)
{
    return QString::fromStdString(reader.query(sql, 1, {}).rows.at(0).at(0).value_or("NULL"));
}

/// By the rank's clock: ten seconds of the file are a millisecond longer.
constexpr std::int64_t StartNs = 15 * SecondNs, EndNs = 25 * SecondNs + 1'005'000;

} // namespace

class FileTimesTest : public QObject
{
    Q_OBJECT

private slots:
    void theClockIsKept()
    {
        const TemporaryProject file;
        writeProject(file.path);
        const ProjectReader reader(file.path);
        QCOMPARE(reader.info().fileClocks, std::vector<FileClock> { clockOfSecond() });
    }

    void slicesDriftAndStayNested()
    {
        const TemporaryProject file;
        writeProject(file.path);
        const ProjectReader reader(file.path);
        const Track &track = reader.info().tracks.at(1);
        QVERIFY(track.range == (TimeRange { StartNs, EndNs }));
        const SliceColumns slices = reader.readTrack(track.id);
        for (std::size_t row = 0; row < slices.size(); ++row) {
            QCOMPARE(slices.startNs[row], StartNs + static_cast<std::int64_t>(row) * 1000);
            QCOMPARE(slices.endNs(row), EndNs);
        }
        QCOMPARE(cell(reader, "SELECT max(dur_ns) FROM slice WHERE track = 1"),
                 QString::number(EndNs - StartNs));
        QCOMPARE(cell(reader, "SELECT sum(dur_ns) FROM slice_total WHERE track = 1"),
                 cell(reader, "SELECT sum(dur_ns) FROM slice WHERE track = 1"));
        QVERIFY(reader.info().tracks.at(0).range == (TimeRange { StartNs, 25 * SecondNs }));
    }

    /// Bins are never busy for longer than they last.
    void levelsOfDetailDriftToo()
    {
        const TemporaryProject file;
        writeProject(file.path, 100'000);
        const ProjectReader reader(file.path);
        const TrackWindow window = reader.readWindow(TrackId(1), { StartNs, EndNs }, 10'000'000);
        QVERIFY(!window.bins.empty());
        for (const LevelBin &bin : window.bins) {
            QVERIFY(bin.startNs >= StartNs && bin.endNs <= EndNs);
            QVERIFY(bin.busyNs >= 0 && bin.busyNs <= bin.endNs - bin.startNs);
        }
    }

    void memoryAndStatedStepsMove()
    {
        const TemporaryProject file;
        writeProject(file.path);
        const ProjectReader reader(file.path);
        const std::vector<MemoryEvent> events = reader.memory(WorkerId(0));
        QCOMPARE(events.size(), std::size_t { 2 });
        QCOMPARE(events[0].timeNs, 25 * SecondNs); // the first file's: as recorded
        QCOMPARE(events[1].timeNs, EndNs);
        QCOMPARE(cell(reader, "SELECT max(raw_time_ns) FROM memory WHERE rank = 0"),
                 QString::number(EndNs));
        QCOMPARE(reader.info().iterations.size(), std::size_t { 2 });
        QVERIFY(reader.info().iterations[0].range == (TimeRange { 1, 2 })); // the rank's clock
        QVERIFY(reader.info().iterations[1].isStated);
        QVERIFY(reader.info().iterations[1].range == (TimeRange { StartNs, EndNs }));
        QCOMPARE(cell(reader, "SELECT raw_start_ns FROM step WHERE number = 7"),
                 QString::number(StartNs));
        QCOMPARE(cell(reader, "SELECT dur_ns FROM step WHERE number = 7"),
                 QString::number(EndNs - StartNs));
    }

    /// Raw times are stored once: what is read moved is not stored moved.
    void statedStepsAreNotMovedTwice()
    {
        const TemporaryProject file;
        writeProject(file.path);
        const std::vector<Iteration> before = ProjectReader(file.path).info().iterations;
        ProjectWriter writer(file.path, true, {});
        writer.setIterations(before);
        writer.finish(ImportEnd::Complete);
        const std::vector<Iteration> after = ProjectReader(file.path).info().iterations;
        QCOMPARE(after.size(), before.size());
        for (std::size_t i = 0; i < after.size(); ++i)
            QVERIFY(after[i].range == before[i].range && after[i].isStated == before[i].isStated);
    }

    void anImpossibleDriftIsRefused()
    {
        for (const char *sql : { "UPDATE file_clock SET drift_ppm = 1e300",
                                 "UPDATE file_clock SET drift_from_ns = 9000000000000000000" }) {
            const TemporaryProject file;
            writeProject(file.path);
            Database(file.path, OpenMode::ReadWrite).execute(sql);
            QVERIFY_THROWS_EXCEPTION(Error, ProjectReader(file.path).info());
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(FileTimesTest)
#include "tst_file_times.moc"
