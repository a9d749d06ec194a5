#include "fake_source.h"
#include "ui/timeline/drawing/dependency_arrows.h"
#include "ui/timeline/timeline_body.h"
#include "ui/timeline/timeline_state.h"

#include <QImage>
#include <QPainter>
#include <QTest>

#include <memory>

using namespace ui;

namespace {

TimelineHit hit(const TimelineState &state, std::uint64_t id)
{
    const auto found = state.source()->find(id);
    return { found->first, found->second };
}

/// Two ranks in 1000 px of a nanosecond thousand each.
void show(TimelineState &state)
{
    state.setSource(tests::twoRanks());
    state.setWidth(1000);
    state.setViewportHeight(400);
    state.setLimits({ 0, 1'000'000 });
    state.setVisible({ 0, 1'000'000 });
}

QImage painted(const TimelineState &state)
{
    QImage image(1000, 400, QImage::Format_RGB32);
    image.fill(lightTheme().background);
    QPainter painter(&image);
    paintArrows(painter, state, lightTheme(), 1000);
    painter.end();
    return image;
}

} // namespace

class TestDependencyArrows : public QObject
{
    Q_OBJECT

private slots:
    void anArrowGoesFromTheEndToTheStart()
    {
        TimelineState state;
        show(state);
        const ArrowLine line
            = arrowLine(state, { hit(state, 1), hit(state, 3), ArrowKind::ToSelection }, 1000);
        QCOMPARE(line.from.x(), 700.0);
        QCOMPARE(line.to.x(), 900.0);
        QCOMPARE(line.from.y(), line.to.y());
    }

    /// The last rank's transfer starts at 400; the other waited for it until 600.
    void theLastRanksArrowEndsWithTheWait()
    {
        TimelineState state;
        show(state);
        const ArrowLine line
            = arrowLine(state, { hit(state, 2), hit(state, 12), ArrowKind::LastRank }, 1000);
        QCOMPARE(line.from.x(), 400.0);
        QCOMPARE(line.to.x(), 600.0);
        QVERIFY(line.to.y() > line.from.y());
    }

    void endsOutOfSightAreDrawnNear()
    {
        TimelineState state;
        show(state);
        state.setVisible({ 650'000, 651'000 });
        const ArrowLine line
            = arrowLine(state, { hit(state, 0), hit(state, 3), ArrowKind::ToSelection }, 1000);
        QCOMPARE(line.from.x(), -40.0);
        QCOMPARE(line.to.x(), 1040.0);
    }

    void arrowsBelongToTheSelection()
    {
        TimelineState state;
        show(state);
        const QImage empty = painted(state);
        state.select(hit(state, 3));
        QVERIFY(painted(state) == empty);
        state.setArrows({ { hit(state, 1), hit(state, 3), ArrowKind::ToSelection } }, 0);
        const QImage one = painted(state);
        QVERIFY(one != empty);
        state.setArrows(state.arrows(), 12);
        QVERIFY(painted(state) != one); // "+12"
        state.select(hit(state, 1));
        QVERIFY(state.arrows().empty());
        QVERIFY(painted(state) == empty);
    }

    /// A folded row stands for the slices in it.
    void arrowsLeadToFoldedRows()
    {
        TimelineState state;
        show(state);
        const TimelineRow group = state.layout().rows.front();
        state.toggleFold(group);
        const ArrowLine line
            = arrowLine(state, { hit(state, 1), hit(state, 3), ArrowKind::ToSelection }, 1000);
        QCOMPARE(line.from.y(), 12.0);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDependencyArrows)
#include "tst_dependency_arrows.moc"
