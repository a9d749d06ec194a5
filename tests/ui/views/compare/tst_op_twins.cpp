#include "tests/support/graph_text.h"
#include "ui/views/compare/twins/op_details.h"
#include "ui/views/compare/twins/op_twins.h"

#include <QLabel>
#include <QTest>

using namespace ui;

class TestOpTwins : public QObject
{
    Q_OBJECT

private slots:
    void anOpIsFoundByItsSlice();
    void twoReplaysMeetAtTheSlice();
    void theDifferenceIsInWords();
    void theDetailsKeepTheirPlace();
};

namespace {

/// a and b, which stand for the slices 10 and 11; c stands for none.
core::Graph threeOps()
{
    core::Graph graph = tests::graphFromText("a:10 -> b:5\nb -> c:7");
    graph.slice[0] = core::SliceId(10);
    graph.slice[1] = core::SliceId(11);
    graph.slice[2] = core::NoSlice;
    return graph;
}

ComparedOp opAt(std::int64_t startNs, std::int64_t endNs, std::int64_t waitNs,
                std::int64_t originNs)
{
    TimelineBox box;
    box.startNs = startNs;
    box.endNs = endNs;
    box.waitNs = waitNs;
    TimelineTrack track;
    track.name = QStringLiteral("GPU 0");
    track.group = QStringLiteral("rank 0");
    return { QStringLiteral("gemm"), track, box, originNs };
}

QString plain(QString text)
{
    return text.replace(QChar(0x2009), u' ').replace(QChar(0x202f), u' ').remove(QChar(0x2060));
}

} // namespace

void TestOpTwins::anOpIsFoundByItsSlice()
{
    const OpTwins twins(threeOps(), nullptr, {});
    QCOMPARE(twins.below(11), std::optional<std::uint64_t>(1));
    QCOMPARE(twins.above(0), std::optional<std::uint64_t>(10));
    QVERIFY(!twins.below(12) && !twins.above(2) && !twins.above(99));
}

void TestOpTwins::twoReplaysMeetAtTheSlice()
{
    core::Graph above = threeOps();
    std::swap(above.slice[0], above.slice[1]);
    const OpTwins twins(threeOps(), &above, {});
    QCOMPARE(twins.below(0), std::optional<std::uint64_t>(1));
    QCOMPARE(twins.above(0), std::optional<std::uint64_t>(1));
    QVERIFY(!twins.below(2) && !twins.above(2));
}

void TestOpTwins::theDifferenceIsInWords()
{
    const ComparedOp above = opAt(100'000'000, 112'000'000, 3'000'000, 100'000'000);
    QCOMPARE(plain(twinDifference(above, opAt(230'000'000, 239'000'000, 1'000'000, 200'000'000))),
             QStringLiteral("starts 30.00 ms later, takes 3.000 ms less, waits 2.000 ms less"));
    QCOMPARE(plain(twinDifference(above, opAt(90'000'000, 102'000'000, 3'000'000, 100'000'000))),
             QStringLiteral("starts 10.00 ms earlier, takes as long"));
    QCOMPARE(twinDifference(above, above),
             QStringLiteral("starts at the same time, takes as long"));
}

void TestOpTwins::theDetailsKeepTheirPlace()
{
    OpDetails details(nullptr);
    const QSize size = details.sizeHint();
    const ComparedOp op = opAt(0, 12'000'000, 0, 0);
    details.setOps(op, op, QStringLiteral("Measured"));
    QVERIFY(details.findChild<QLabel *>() != nullptr);
    QCOMPARE(details.sizeHint().height(), size.height());
    details.setOps(op, std::nullopt, QStringLiteral("Measured"));
    QCOMPARE(details.sizeHint().height(), size.height());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpTwins)
#include "tst_op_twins.moc"
