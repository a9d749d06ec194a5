// Two files of one rank, each by a clock of its own.

#include "core/pipeline/file_clocks.h"
#include "core/sqlite/database.h"
#include "small_bundle.h"

#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace core;
using namespace tests;

namespace {

constexpr std::int64_t SecondUs = 1'000'000;
constexpr std::int64_t NoonUs = 1'700'000'000 * SecondUs;

std::string json(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

/// When collectives run, after the start of the recording: unlike any shift of themselves.
const std::vector<std::int64_t> StartsUs = { 100, 350, 800, 1000, 1750 };

/// 40 of a minute.
std::vector<std::int64_t> startsOfAMinuteUs()
{
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i < 40; ++i)
        starts.push_back(i * 1'500'000 + i * i * 37'123 % 1'000'000);
    return starts;
}

/// A trace of torch.profiler with NCCL kernels, since 1970.
std::string kineto(const std::vector<std::int64_t> &startsUs)
{
    std::string text = "{'schemaVersion': 1, 'distributedInfo': {'backend': 'nccl', 'rank': 0, "
                       "'world_size': 1}, 'traceEvents': [{'ph': 'X', 'cat': 'user_annotation', "
                       "'name': 'ProfilerStep#1', 'pid': 1, 'tid': 2, 'dur': 2000, 'ts': "
        + std::to_string(NoonUs) + "}";
    for (const std::int64_t startUs : startsUs)
        text += ", {'ph': 'X', 'cat': 'kernel', 'name': 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', "
                "'pid': 0, 'tid': 20, 'dur': 50, 'ts': "
            + std::to_string(NoonUs + startUs)
            + ", 'args': {'stream': 20, 'device': 0, 'Collective name': 'allreduce', "
              "'In msg nelems': 100, 'Out msg nelems': 100, 'Group size': 1, 'dtype': 'Float', "
              "'Process Group Name': '0'}}";
    return json(text + "]}");
}

/// A timeline of Horovod with the same all-reduces, in microseconds since its start, which was 40 s
/// earlier; its clock is fast by `ppm`.
std::string horovod(const std::vector<std::int64_t> &startsUs = StartsUs, std::int64_t ppm = 0)
{
    std::string text
        = "[\n{'name': 'process_name', 'ph': 'M', 'pid': 1, 'args': {'name': 'grad'}},\n";
    for (const std::int64_t startUs : startsUs) {
        const std::int64_t us = 40 * SecondUs + startUs + startUs * ppm / 1'000'000;
        text += "{'ph': 'B', 'name': 'NEGOTIATE_ALLREDUCE', 'ts': " + std::to_string(us - 40)
            + ", 'pid': 1},\n{'ph': 'E', 'ts': " + std::to_string(us - 30) + ", 'pid': 1},\n"
            + "{'ph': 'B', 'name': 'ALLREDUCE', 'ts': " + std::to_string(us - 20)
            + ", 'pid': 1},\n{'ph': 'B', 'name': 'NCCL_ALLREDUCE', 'ts': " + std::to_string(us)
            + ", 'pid': 1},\n{'ph': 'E', 'ts': " + std::to_string(us + 50)
            + ", 'pid': 1},\n{'ph': 'E', 'ts': " + std::to_string(us + 50) + ", 'pid': 1},\n";
    }
    return json(text + "{}]");
}

QString cell(const ProjectReader &reader, const char *sql)
{
    return QString::fromStdString(reader.query(sql, 1, {}).rows.at(0).at(0).value_or("NULL"));
}

QString fileClockText(const ProjectInfo &info)
{
    for (const Diagnostic &diagnostic : info.diagnostics)
        if (diagnostic.code == FileClockCode)
            return QString::fromStdString(diagnostic.message);
    return {};
}

/// Horovod's row of the tensor.
const Track &trackOfHorovod(const ProjectInfo &info)
{
    return *std::find_if(info.tracks.begin(), info.tracks.end(),
                         [](const Track &track) { return track.name == "grad"; });
}

} // namespace

class FileClocksTest : public QObject
{
    Q_OBJECT

private slots:
    void whatBothRecordedTellsTheOffset_data()
    {
        QTest::addColumn<bool>("isAppended");
        QTest::newRow("at once") << false;
        QTest::newRow("one after the other") << true;
    }
    void whatBothRecordedTellsTheOffset()
    {
        QFETCH(const bool, isAppended);
        const SmallBundle bundle;
        bundle.write("rank0_timeline.json", horovod());
        if (isAppended)
            bundle.import();
        bundle.write("rank0.json", kineto(StartsUs));
        ImportOptions options;
        options.append = isAppended;
        bundle.import(options);
        const ProjectReader reader(bundle.project());
        const ProjectInfo &info = reader.info();
        QCOMPARE(info.workers.size(), std::size_t(1));
        QCOMPARE(info.fileClocks.size(), std::size_t(1));
        QVERIFY(info.fileClocks[0].isMeasured);
        QCOMPARE(info.fileClocks[0].offsetNs, (NoonUs - 40 * SecondUs) * 1000);
        QVERIFY2(fileClockText(info).contains(QStringLiteral("by what both recorded they are ")),
                 qPrintable(fileClockText(info)));
        QCOMPARE(info.alignedRange.durationNs(), 2'000'000);
        checkTimes(reader);
        checkReadyTime(bundle);
        // Each collective counts once, as the profiler of the device has it.
        const LoadedProject loaded = loadProject(bundle.project(), {});
        QCOMPARE(loaded.trace->collectives.size(), std::size_t(5));
        for (const CollectiveCall &call : loaded.trace->collectives)
            QCOMPARE(call.group, std::string("0"));
    }

    void whatBothRecordedOverAMinuteTellsTheDrift_data()
    {
        QTest::addColumn<int>("ppm");
        for (const int ppm : { 0, 20, -90 })
            QTest::addRow("%d ppm", ppm) << ppm;
    }
    void whatBothRecordedOverAMinuteTellsTheDrift()
    {
        QFETCH(const int, ppm);
        const std::vector<std::int64_t> startsUs = startsOfAMinuteUs();
        const SmallBundle bundle;
        bundle.write("rank0.json", kineto(startsUs));
        bundle.write("rank0_timeline.json", horovod(startsUs, ppm));
        bundle.import();
        const ProjectReader reader(bundle.project());
        QCOMPARE(reader.info().fileClocks.size(), std::size_t(1));
        const FileClock clock = reader.info().fileClocks[0];
        QVERIFY(clock.isMeasured);
        QVERIFY(clock.driftPpm.has_value());
        QVERIFY2(std::abs(*clock.driftPpm + ppm) < 0.1,
                 qPrintable(QString::number(*clock.driftPpm)));
        QVERIFY2(fileClockText(reader.info()).contains(driftWords(ppm)),
                 qPrintable(fileClockText(reader.info())));
        const SliceColumns slices = reader.readTrack(trackOfHorovod(reader.info()).id);
        // Times are of whole microseconds: that much is left.
        const auto lastNs = (NoonUs + startsUs.back() + 50) * 1000;
        QVERIFY(std::abs(slices.endNs(slices.size() - 1) - lastNs) < 2000);
        QCOMPARE(loadProject(bundle.project(), {}).trace->collectives.size(), startsUs.size());
    }

    void ofTooFewTheDriftIsNotKnown()
    {
        const SmallBundle bundle;
        bundle.write("rank0.json", kineto(StartsUs));
        bundle.write("rank0_timeline.json", horovod());
        bundle.import();
        const ProjectReader reader(bundle.project());
        QVERIFY(!reader.info().fileClocks.at(0).driftPpm.has_value());
        QVERIFY(fileClockText(reader.info())
                    .contains(QStringLiteral("drifts from the others' is "
                                             "not known")));
        QCOMPARE(cell(reader, "SELECT drift_ppm FROM file_clock"), QStringLiteral("NULL"));
    }

    void whereNothingTellsTheStartsArePutTogether()
    {
        const SmallBundle bundle;
        bundle.write("rank0.json", kineto({}));
        bundle.write("rank0_timeline.json", horovod());
        bundle.import();
        const ProjectReader reader(bundle.project());
        QCOMPARE(reader.info().fileClocks.size(), std::size_t(1));
        QVERIFY(!reader.info().fileClocks[0].isMeasured);
        QCOMPARE(reader.info().alignedRange.startNs, NoonUs * 1000);
        QCOMPARE(trackOfHorovod(reader.info()).range.startNs, NoonUs * 1000);
        QVERIFY(fileClockText(reader.info()).contains(QStringLiteral("no measured offset")));
        // Nobody else has the collectives.
        QCOMPARE(loadProject(bundle.project(), {}).trace->collectives.size(), std::size_t(5));

        // Another import changes nothing of it.
        bundle.write("rank1.json",
                     kineto({}).replace(kineto({}).find("\"rank\": 0"), 9, "\"rank\": 1"));
        ImportOptions options;
        options.append = true;
        bundle.import(options);
        QCOMPARE(ProjectReader(bundle.project()).info().fileClocks, reader.info().fileClocks);
    }

    void aProjectThatIsDamagedHereIsRefused()
    {
        const SmallBundle bundle;
        bundle.write("rank0.json", kineto(StartsUs));
        bundle.write("rank0_timeline.json", horovod());
        bundle.import();
        const auto open = [&bundle](const char *sql) {
            Database(bundle.project(), OpenMode::ReadWrite).execute(sql);
            const ProjectReader reader(bundle.project());
            reader.readTrace({});
        };
        for (const char *sql : { "UPDATE file_clock SET offset_ns = 2299999999999999999",
                                 "UPDATE file_clock SET offset_ns = 9000000000000000000",
                                 "UPDATE file_clock SET worker = 7, offset_ns = 0" })
            if (QString::fromLatin1(sql).contains(QLatin1String("2299999999999999999")))
                open(sql); // as far as a project may say
            else
                QVERIFY_THROWS_EXCEPTION(Error, open(sql));
    }

private:
    static QString driftWords(int ppm)
    {
        if (ppm == 0)
            return QStringLiteral("and do not drift from the others");
        return QStringLiteral("and their clock runs %1 by %2.0 ppm")
            .arg(ppm > 0 ? QStringLiteral("fast") : QStringLiteral("slow"))
            .arg(std::abs(ppm));
    }

    /// Whoever asks for the times gets them by the rank's clock.
    /// A time in a table that is no view is by the file's clock.
    static void checkReadyTime(const SmallBundle &bundle)
    {
        Database(bundle.project(), OpenMode::ReadWrite)
            .execute("UPDATE collective_call SET raw_ready_ns = 40000000000 WHERE slice = "
                     "(SELECT min(c.slice) FROM collective_call c JOIN track t ON c.slice >= "
                     "t.first_slice AND c.slice < t.first_slice + t.slice_count JOIN file_clock f "
                     "ON f.worker = t.worker AND f.source_file = t.file)");
        const ProjectReader reader(bundle.project());
        QCOMPARE(cell(reader, "SELECT max(raw_ready_ns) FROM collective"),
                 QString::number(NoonUs * 1000));
        const auto &calls = reader.collectives();
        const auto ready = std::find_if(calls.begin(), calls.end(), [](const CollectiveCall &call) {
            return call.readyNs.has_value();
        });
        QVERIFY(ready != calls.end());
        QCOMPARE(ready->readyNs.value(), NoonUs * 1000);
    }

    static void checkTimes(const ProjectReader &reader)
    {
        const Track &track = trackOfHorovod(reader.info());
        const std::int64_t firstNs = (NoonUs + StartsUs[0] - 40) * 1000;
        QCOMPARE(track.range.startNs, firstNs);
        const SliceColumns slices = reader.readTrack(track.id);
        QCOMPARE(slices.startNs.front(), firstNs);
        QCOMPARE(reader.slice(slices.first)->startNs, firstNs);
        QCOMPARE(reader.placeOf(slices.first)->range.startNs, firstNs);
        const TrackWindow window = reader.readWindow(track.id, { firstNs, firstNs + 100'000 }, 0);
        QCOMPARE(window.ids.size(), std::size_t(3));
        QCOMPARE(window.slices.startNs.front(), firstNs);
        QVERIFY(reader.readWindow(track.id, { 40'000'000'000, 41'000'000'000 }, 0).ids.empty());
        const std::string where = " FROM slice WHERE track = " + std::to_string(track.id.value)
            + " AND raw_start_ns >= " + std::to_string(firstNs);
        QCOMPARE(cell(reader, ("SELECT count(*)" + where).c_str()), QStringLiteral("15"));
        QCOMPARE(cell(reader, ("SELECT min(start_ns)" + where).c_str()), QString::number(firstNs));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(FileClocksTest)
#include "tst_file_clocks.moc"
