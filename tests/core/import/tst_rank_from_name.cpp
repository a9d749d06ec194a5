#include "core/import/rank_from_name.h"

#include <QTest>

class RankFromNameTest : public QObject
{
    Q_OBJECT

private slots:
    void theRankIsReadFromFileAndFolderNames_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<int>("words"); // -1: none
        QTest::addColumn<int>("place");
        QTest::addColumn<int>("atEnd");
        const auto row = [](const char *path, int words, int place, int atEnd) {
            QTest::newRow(path) << QByteArray(path) << words << place << atEnd;
        };
        row("rank0.pt.trace.json.gz", 0, -1, -1);
        row("run/rank_3.json", 3, -1, 3);
        row("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz", 34, -1, -1);
        row("trace_rank[12].json", 12, -1, -1);
        row("inference_rank_1.json.gz", 1, -1, 1);
        row("Rank7.json", 7, -1, -1);
        row("worker3.1623143089861.pt.trace.json", 3, -1, -1);
        row("run/rank2/trace.json", 2, -1, -1);
        row("rank4/worker/trace.json", 4, -1, -1);
        row("rank4/rank5/trace.json", 5, -1, -1);
        row("b.zip/rank6/trace.json", 6, -1, -1);
        row("chakra.3.et", 3, -1, 3);
        row("run/chakra.0.et.gz", 0, -1, 0);
        row("all_reduce.11.et", 11, -1, 11);
        row("chakra.4.json", 4, -1, 4);
        row("1.0.2-chakra.0.0.4.json", -1, -1, -1); // a version
        row("megatron_kineto_5.json.gz", -1, -1, 5);
        row("12.json", -1, -1, 12);
        row("timeline_01.json", -1, -1, 1);
        row("node3.xplane.pb", -1, 3, -1);
        row("gpu_2/trace.json", -1, 2, -1);
        row("local_rank1.json", -1, 1, -1);
        row("torch_trace_rank_container-node07_40.json.gz", -1, 40, 40); // the last one
        row("rank_trace_12345.json", -1, -1, 12345); // an id of a process, maybe
        row("gpu1000.json", -1, -1, -1);
        row("host1/gpu0.json", -1, -1, -1); // the rank is neither
        row("host_1234.1698107929560561434.pt.trace.json", -1, -1, -1); // times and process ids
        row("frank3.json", -1, -1, -1);
        row("ranks.json", -1, -1, -1);
        row("trace.json", -1, -1, -1);
        row("run12/trace.json", -1, -1, -1);
        row("h100.json", -1, -1, -1);
        row("resnet_2gpu_et.json", -1, -1, -1);
        row("trace_2024.json", -1, -1, 2024); // what the others are called tells
        row("step_100.json", -1, -1, -1);
        row("run-3.json", -1, -1, -1);
        row("resnet_V2.json", -1, -1, -1);
        row("Epoch.7.json", -1, -1, -1);
        row("llama7b.json", -1, -1, -1);
        row("/", -1, -1, -1);
        row("", -1, -1, -1);
    }
    void theRankIsReadFromFileAndFolderNames()
    {
        QFETCH(QByteArray, path);
        QFETCH(int, words);
        QFETCH(int, place);
        QFETCH(int, atEnd);
        QCOMPARE(core::rankFromWords(path.toStdString()).value_or(-1), words);
        QCOMPARE(core::rankFromPlace(path.toStdString()).value_or(-1), place);
        QCOMPARE(core::numberAtEnd(path.toStdString()).value_or(-1), atEnd);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RankFromNameTest)
#include "tst_rank_from_name.moc"
