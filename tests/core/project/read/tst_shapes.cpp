#include "core/project/read/input_dims.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

using namespace core;
using tests::TemporaryProject;

/// Shapes of ops' arguments, read from what a project keeps of their records.
class ShapesTest : public QObject
{
    Q_OBJECT

private slots:
    void dimsAreRead_data()
    {
        QTest::addColumn<QByteArray>("args");
        QTest::addColumn<Shapes>("shapes");
        QTest::newRow("a product") << QByteArray("{\"Ev Idx\": 3, \"Input Dims\": [[2, 3], [3,4]]}")
                                   << Shapes { { 2, 3 }, { 3, 4 } };
        QTest::newRow("a scalar is an argument")
            << QByteArray("{\"Input Dims\": [[5], [], [2, 3]], \"Input type\": [\"float\"]}")
            << Shapes { { 5 }, {}, { 2, 3 } };
        QTest::newRow("a list of tensors") << QByteArray("{\"Input Dims\":[[[2, 3], [4]], [7]]}")
                                           << Shapes { { 2, 3 }, { 4 }, { 7 } };
        QTest::newRow("pretty-printed") << QByteArray(
            "{\n  \"Input Dims\" : [\n    [\n      2,\n      3\n    ],\n    []\n  ]\n}")
                                        << Shapes { { 2, 3 }, {} };
        QTest::newRow("none") << QByteArray("{\"Input Dims\": []}") << Shapes {};
    }

    void dimsAreRead()
    {
        QFETCH(QByteArray, args);
        QFETCH(Shapes, shapes);
        const auto found = parseInputDims(inputDimsText(args.toStdString()));
        QVERIFY(found);
        QVERIFY(*found == shapes);
    }

    void damagedDimsAreNone_data()
    {
        QTest::addColumn<QByteArray>("args");
        for (const char *args :
             { "", "{}", "{\"Input Dims\"", "{\"Input Dims\": [[2, 3]", "{\"Input Dims\": 7}",
               "{\"Input Dims\": [[-2, 3]]}", "{\"Input Dims\": [[a]]}",
               "{\"Input Dims\": [[99999999999999999999]]}" })
            QTest::newRow(args) << QByteArray(args);
    }

    void damagedDimsAreNone()
    {
        QFETCH(QByteArray, args);
        const std::string text = args.toStdString();
        QVERIFY(!parseInputDims(inputDimsText(text)));
    }

    /// More ops than a chunk has, in another order than their records came.
    void opsHaveTheirOwnShapes()
    {
        const TemporaryProject project;
        constexpr int Ops = 20'000;
        {
            ProjectWriter writer(project.path, false);
            CollectedFile file({ "rank0", "kineto", 1 });
            const WorkerId worker = file.addWorker();
            file.describeWorker(worker, { 0, 1, "host" });
            const TrackId host = file.track(worker, { TrackKind::HostThread, "1", "1", {} });
            const TrackId stream = file.track(worker, { TrackKind::Stream, "0", "7", 0 });
            for (int i = 0; i < Ops; ++i) {
                const int at = i * 7919 % Ops;
                SliceRecord record;
                record.startNs = 1'000'000 + at * 100;
                record.durationNs = 50;
                record.name = file.intern("aten::mm");
                record.category = Category::CpuOp;
                record.bytes = at % 5 == 0 ? 0 : 8;
                const std::string args
                    = "{\"Input Dims\": [[" + std::to_string(at % 100) + ", 4]]}";
                record.args = args;
                file.slice(at % 3 == 0 ? stream : host, record);
            }
            writer.add(file, tests::noRank, {});
            writer.finish();
        }
        const ProjectReader reader(project.path);
        const Trace trace = reader.readTrace({});
        const OpShapes shapes = reader.readShapes(trace, {});
        int seen = 0;
        for (const Track &track : trace.tracks)
            for (std::size_t row = 0; row < track.sliceCount; ++row) {
                const std::int64_t at
                    = (trace.slices[track.id.value].startNs[row] - 1'000'000) / 100;
                const bool isRead = track.kind == TrackKind::HostThread && at % 5 != 0;
                QVERIFY(shapes.of(track.id, row)
                        == (isRead ? Shapes { { at % 100, 4 } } : Shapes {}));
                seen += isRead ? 1 : 0;
            }
        QCOMPARE(seen, Ops * 8 / 15 + (Ops * 8 % 15 != 0 ? 1 : 0));
        QVERIFY(shapes.distinct.size() <= 101); // each once
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ShapesTest)
#include "tst_shapes.moc"
