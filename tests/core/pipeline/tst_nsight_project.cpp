#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"
#include "tests/support/golden_text.h"
#include "tests/support/sqlite_file.h"

#include <QTest>

using namespace core;

/// A report of two ranks, from the file to the graph.
class NsightProjectTest : public QObject
{
    Q_OBJECT

private slots:
    void oneReportGivesTwoRanksWhoseCollectivesMatch()
    {
        const tests::SqliteFile report(tests::fileText("nsight/generated_two_ranks.sql"));
        const std::filesystem::path project = report.folder() / "p.longpole";
        const ImportReport imported = importBundle({ report.path() }, project, {}, {});
        QCOMPARE(imported.filesRead, std::size_t { 1 });

        const Trace trace = ProjectReader(project).readTrace({});
        QCOMPARE(trace.workers.size(), std::size_t { 2 });
        QCOMPARE(trace.workers[1].rank, 1);
        QCOMPARE(trace.workers[1].worldSize, std::optional<int>(2));
        QCOMPARE(trace.workers[1].host, std::string("node7"));
        QCOMPARE(trace.collectives.size(), std::size_t { 4 });
        QCOMPARE(trace.collectives.front().group, std::string("0xabcdef0123456789"));
        QVERIFY(trace.alignment.workers.at(1).isKnown);
        QCOMPARE(trace.iterations.size(), std::size_t { 2 });

        const LoadedProject loaded = loadProject(project, {});
        QCOMPARE(loaded.graph->collectives.size(), std::size_t { 2 });
        QCOMPARE(loaded.graph->collectives.front().parts.size(), std::size_t { 2 });
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NsightProjectTest)
#include "tst_nsight_project.moc"
