#include "core/import/tensorflow/hlo_collectives.h"
#include "tests/core/import/tensorflow/imported_xplane.h"
#include "tests/support/xplane_sample.h"

#include <QTest>

#include <algorithm>
#include <string>

using tests::importedXPlane;
using tests::RecordingSink;
using tests::XPlaneBuilder;

class XPlaneCollectivesTest : public QObject
{
    Q_OBJECT

private slots:
    void collectivesOfXlaAreKnownByTheirInstruction_data()
    {
        QTest::addColumn<QByteArray>("instruction");
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<quint64>("bytes");
        const auto row = [](const char *instruction, const char *kind, quint64 bytes) {
            QTest::newRow(instruction) << QByteArray(instruction) << QByteArray(kind) << bytes;
        };
        row("all-reduce", "all_reduce", 0);
        row("all-reduce.12", "all_reduce", 0);
        row("all-reduce-done.12", "all_reduce", 0);
        row("all-reduce-start.12", "", 0);
        row("all-reduce-scatter.1", "reduce_scatter", 0);
        row("%collective-permute.1 = s4[8]{0} collective-permute(%x)", "send_recv", 0);
        row("%reduce-scatter.1 = f32[8,4]{1,0:T(8,128)S(1)} r(f32[99] %x)", "reduce_scatter", 128);
        row("%all-gather.1 = (f8e4m3fn[8], pred[<=2]) all-gather(f32[99] %x)", "all_gather", 10);
        row("%all-gather.1 = f32[4294967296,4294967296] all-gather(%x)", "all_gather", 0);
        row("%all-gather.1 = f32[4611686018427387903] all-gather(%x)", "all_gather", 0);
        row("%all-gather.1 = f32[4", "all_gather", 0);
        row("%all-gather.1 = (f32[4], f32[4", "all_gather", 0);
        row("%all-gather.1 = (f32[4][4]) all-gather(%x)", "all_gather", 0);
        row("%reduce.1 = f32[] reduce(%x)", "", 4);
        row("", "", 0);
    }
    void collectivesOfXlaAreKnownByTheirInstruction()
    {
        QFETCH(QByteArray, instruction);
        QFETCH(QByteArray, kind);
        QFETCH(quint64, bytes);
        const std::string text = instruction.toStdString();
        const auto known = core::hloCollective(text);
        QCOMPARE(QByteArray::fromStdString(std::string(known.value_or(""))), kind);
        QCOMPARE(core::hloResultBytes(text), bytes);
    }

    /// StepStats' importer knew the operator; here it was an op like others.
    void aCollectiveOperatorOfTheHostIsACollective()
    {
        const auto hostOf = [] {
            XPlaneBuilder host("/host:CPU");
            host.line(1, "python3", 10)
                .event("allreduce/CollectiveReduce:CollectiveReduce", 0, 2000)
                .event("allreduce_1/CollectiveReduce/_336:_Recv", 3000, 1000)
                .event("std::CollectiveReduce", 5000, 1000)
                .event("a:HorovodAllreduce b", 7000, 1000);
            return host;
        };
        const auto collectives = [](const RecordingSink &sink) {
            const std::string text = sink.text();
            std::string found;
            for (std::size_t at = text.find(" collective("); at != std::string::npos;
                 at = text.find(" collective(", at + 1)) {
                const std::size_t begin = text.rfind('\n', at) + 1;
                found += text.substr(begin, text.find(')', at) + 1 - begin) + '\n';
            }
            return found;
        };
        QCOMPARE(collectives(importedXPlane(tests::xspace({ hostOf() }))),
                 std::string("  10+2 comm_op \"allreduce/CollectiveReduce:CollectiveReduce\" "
                             "collective(all_reduce group=\"\")\n"));
        // Where NCCL's kernels are recorded, they are the collectives.
        XPlaneBuilder device("/device:GPU:0");
        device.line(1, "Stream #1", 10).event("ncclDevKernel_AllReduce_Sum_f32(x)", 0, 1000);
        QCOMPARE(collectives(importedXPlane(tests::xspace({ hostOf(), device }))),
                 std::string("  10+1 comm_kernel \"ncclDevKernel_AllReduce_Sum_f32(x)\" "
                             "collective(all_reduce group=\"\")\n"));
    }

    /// The rest of the instruction was searched for every bracket: this took minutes.
    void anInstructionOfBracketsIsLookedThroughOnce()
    {
        std::string open = "%all-gather.1 = (", closed = open;
        for (int i = 0; i < 2'000'000; ++i)
            open += "f32[";
        for (int i = 0; i < 500'000; ++i)
            closed += "f32[1],";
        QCOMPARE(core::hloResultBytes(open), std::uint64_t { 0 });
        QCOMPARE(core::hloResultBytes(open + "]"), std::uint64_t { 0 });
        QCOMPARE(core::hloResultBytes(closed + ")"), std::uint64_t { 4 * 500'000 });
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(XPlaneCollectivesTest)
#include "tst_xplane_collectives.moc"
