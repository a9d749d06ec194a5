#include "core/import/rank_from_name.h"

#include <QTest>

class RankFromNameTest : public QObject
{
    Q_OBJECT

private slots:
    void theRankIsReadFromFileAndFolderNames_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<int>("rank"); // -1: none
        const auto row
            = [](const char *path, int rank) { QTest::newRow(path) << QByteArray(path) << rank; };
        row("rank0.pt.trace.json.gz", 0);
        row("run/rank_3.json", 3);
        row("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz", 34);
        row("trace_rank[12].json", 12);
        row("inference_rank_1.json.gz", 1);
        row("Rank7.json", 7);
        row("worker3.1623143089861.pt.trace.json", 3);
        row("megatron_kineto_5.json.gz", 5);
        row("12.json", 12);
        row("run/rank2/trace.json", 2);
        row("rank4/worker/trace.json", 4);
        row("rank4/rank5/trace.json", 5);
        row("b.zip/rank6/trace.json", 6);
        row("host_1234.1698107929560561434.pt.trace.json", -1); // times and process ids
        row("frank3.json", -1);
        row("ranks.json", -1);
        row("trace.json", -1);
        row("run12/trace.json", -1);
        row("h100.json", -1);
        row("", -1);
    }
    void theRankIsReadFromFileAndFolderNames()
    {
        QFETCH(QByteArray, path);
        QFETCH(int, rank);
        QCOMPARE(core::rankFromName(path.toStdString()).value_or(-1), rank);
    }
};

QTEST_GUILESS_MAIN(RankFromNameTest)
#include "tst_rank_from_name.moc"
