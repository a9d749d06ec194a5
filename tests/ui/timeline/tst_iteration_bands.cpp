#include "ui/timeline/iteration_bands.h"

#include <QTest>

using namespace ui;

namespace {

/// 100 px of 1 ns each, on which a label takes 6 px a letter.
QStringList labelsAt(const std::vector<core::TimeRange> &ranges)
{
    std::vector<TimelineIteration> iterations;
    for (const core::TimeRange &range : ranges)
        iterations.push_back({ QStringLiteral("iter %1").arg(iterations.size()), range });
    const TimeAxis axis { 0, 1, 100 };
    QStringList shown;
    for (const IterationBand &band : iterationBands(
             iterations, axis, [](const QString &text) { return 6.0 * double(text.size()); }))
        shown << (band.labelX ? band.label + QStringLiteral(" at %1").arg(*band.labelX)
                              : QStringLiteral("no label"));
    return shown;
}

} // namespace

class TestIterationBands : public QObject
{
    Q_OBJECT

private slots:
    void aLabelBeginsWithItsIteration();
    void aLabelThatTheAxisWouldCutIsLeftOut();
    void anIterationThatBeganBeforeIsLabelledWhereItIsSeen();
    void whatIsNotVisibleHasNoBand();
    void theNumberAloneIsShownWhereTheLabelDoesNotFit();
    void aNarrowBandsNumberTakesNoOthersLabel();
};

void TestIterationBands::aLabelBeginsWithItsIteration()
{
    QCOMPARE(labelsAt({ { 0, 50 }, { 50, 100 } }),
             QStringList({ QStringLiteral("iter 0 at 4"), QStringLiteral("iter 1 at 54") }));
}

/// The band of the last iteration goes on beyond the axis, so there seemed to be room.
void TestIterationBands::aLabelThatTheAxisWouldCutIsLeftOut()
{
    QCOMPARE(labelsAt({ { 0, 58 }, { 58, 200 } }),
             QStringList({ QStringLiteral("iter 0 at 4"), QStringLiteral("iter 1 at 62") }));
    QCOMPARE(labelsAt({ { 0, 62 }, { 62, 200 } }),
             QStringList({ QStringLiteral("iter 0 at 4"), QStringLiteral("no label") }));
}

void TestIterationBands::anIterationThatBeganBeforeIsLabelledWhereItIsSeen()
{
    QCOMPARE(labelsAt({ { -500, 60 } }), QStringList { QStringLiteral("iter 0 at 4") });
    QCOMPARE(labelsAt({ { -500, 30 } }), QStringList { QStringLiteral("no label") });
}

void TestIterationBands::whatIsNotVisibleHasNoBand()
{
    QVERIFY(labelsAt({ { -500, -100 }, { 200, 300 } }).isEmpty());
}

/// A small window named no iteration at all.
void TestIterationBands::theNumberAloneIsShownWhereTheLabelDoesNotFit()
{
    const auto bands = iterationBands(
        { { QStringLiteral("iteration 7"), { 0, 40 }, QStringLiteral("7") },
          { QStringLiteral("iteration 8"), { 40, 47 }, QStringLiteral("8") } },
        { 0, 1, 100 }, [](const QString &text) { return 6.0 * double(text.size()); });
    QCOMPARE(bands[0].label, QStringLiteral("7"));
    QCOMPARE(bands[0].labelX, 4.0);
    QVERIFY(!bands[1].labelX);
}

/// The compared iteration had no name where the one before it left just enough room for its number.
void TestIterationBands::aNarrowBandsNumberTakesNoOthersLabel()
{
    const auto bands = iterationBands(
        { { QStringLiteral("iteration 2"), { -50, 13 }, QStringLiteral("2") },
          { QStringLiteral("iteration 3"), { 13, 100 }, QStringLiteral("3") } },
        { 0, 1, 100 }, [](const QString &text) { return 6.0 * double(text.size()); });
    QCOMPARE(bands[0].label, QStringLiteral("2"));
    QVERIFY(bands[0].labelX.has_value());
    QCOMPARE(bands[1].label, QStringLiteral("iteration 3"));
    QCOMPARE(bands[1].labelX, 17.0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestIterationBands)
#include "tst_iteration_bands.moc"
