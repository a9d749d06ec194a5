#include "tests/support/graph_text.h"
#include "tests/ui/timeline/fake_source.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/compare/twins/delta_ribbon.h"
#include "ui/views/compare/twins/op_details.h"
#include "ui/views/compare/twins/op_twins.h"
#include "ui/views/compare/twins/twin_selection.h"

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
    void ribbonsJoinWhatIsSeenOfARank();
    void theNumberOfRibbonsIsBoundedByTheWidth();
    void aClickOnARibbonSelectsBoth();
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

namespace {

/// Two timelines of one stream a rank; ops below are `shiftNs` later.
struct TwoTimelines
{
    explicit TwoTimelines(std::size_t count, std::int64_t shiftNs)
    {
        auto above = std::make_shared<tests::FakeSource>();
        auto below = std::make_shared<tests::FakeSource>();
        for (const auto &source : { above, below })
            for (const char *rank : { "rank 0", "rank 1" })
                source->addTrack(QString::fromLatin1(rank), {}, QStringLiteral("GPU"),
                                 core::TrackKind::Stream);
        std::string text;
        for (std::size_t i = 0; i < count; ++i) {
            const auto start = static_cast<std::int64_t>(i) * 1000;
            above->add(0, start, start + 900);
            below->add(0, start + shiftNs, start + shiftNs + 900);
            text += (i == 0 ? "" : " -> ") + std::string("n") + std::to_string(i) + ":900";
        }
        core::Graph graph = tests::graphFromText(text);
        for (std::size_t i = 0; i < graph.size(); ++i)
            graph.slice[i] = core::SliceId(i);
        twins = std::make_shared<const OpTwins>(graph, nullptr, core::JobControl {});
        for (TimelineWidget *widget : { &m_above, &m_below })
            widget->resize(800, 200);
        m_above.setSource(above);
        m_below.setSource(below);
        for (TimelineState *state : { &m_above.state(), &m_below.state() }) {
            state->setWidth(600);
            state->setOriginNs(0);
            state->setVisible({ 0, static_cast<std::int64_t>(count) * 1000 });
        }
    }

    std::vector<RibbonPair> pairs(const QString &group)
    {
        return ribbonPairs(m_above.state(), m_below.state(), *twins, group);
    }

    std::shared_ptr<const OpTwins> twins;
    TimelineWidget m_above, m_below;
};

} // namespace

void TestOpTwins::ribbonsJoinWhatIsSeenOfARank()
{
    TwoTimelines two(3, -250);
    const auto pairs = two.pairs(QStringLiteral("rank 0"));
    QCOMPARE(pairs.size(), std::size_t { 3 });
    QCOMPARE(pairs[1].aboveId, std::uint64_t { 1 });
    QCOMPARE(pairs[1].movedNs(), std::int64_t { -250 });
    QCOMPARE(pairs[1].above.durationNs(), std::int64_t { 900 });
    QVERIFY(two.pairs(QStringLiteral("rank 1")).empty());
}

void TestOpTwins::theNumberOfRibbonsIsBoundedByTheWidth()
{
    TwoTimelines two(3000, 10);
    const auto pairs = two.pairs(QStringLiteral("rank 0"));
    QVERIFY(pairs.size() > 50 && pairs.size() <= 101); // 600 pixels, one in six
}

void TestOpTwins::aClickOnARibbonSelectsBoth()
{
    TwoTimelines two(3, 0);
    QWidget parent;
    TwinSelection selection(two.m_above, two.m_below, &parent);
    QVERIFY(!selection.ribbon()->isVisibleTo(&parent));
    selection.setTwins(two.twins, false);
    QVERIFY(selection.ribbon()->isVisibleTo(&parent));
    selection.ribbon()->resize(800, selection.ribbon()->height());
    const TimelineState &above = two.m_above.state();
    const QPoint middle(two.m_above.trackColumnWidth() + static_cast<int>(above.axis().xOf(1450)),
                        selection.ribbon()->height() / 2);
    QTest::mouseClick(selection.ribbon(), Qt::LeftButton, {}, middle);
    QVERIFY(above.selection() && two.m_below.state().selection());
    QCOMPARE(above.selection()->box.id, std::uint64_t { 1 });
    QCOMPARE(two.m_below.state().selection()->box.id, std::uint64_t { 1 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpTwins)
#include "tst_op_twins.moc"
