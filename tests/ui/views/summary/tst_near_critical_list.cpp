#include "ui/views/summary/near_critical_list.h"

#include <QKeySequence>
#include <QLabel>
#include <QPushButton>
#include <QTest>

using namespace ui;

namespace {

core::NearCriticalReport twoIterationsOf(std::int64_t durationNs)
{
    core::NearCriticalOp op;
    op.name = "PUSH weight";
    op.rank = 3;
    op.durationNs = durationNs;
    op.meanNs = durationNs / 2;
    op.times = 4;
    op.iterations = 2;
    core::NearCriticalReport report;
    report.steadyState = { op };
    report.steadyIterations = 3;
    return report;
}

QStringList textsOf(const NearCriticalList &list)
{
    QStringList texts;
    for (const QLabel *label : list.findChildren<QLabel *>())
        texts << label->text().replace(QChar(0x202F), QLatin1Char(' '));
    return texts;
}

} // namespace

class TestNearCriticalList : public QObject
{
    Q_OBJECT

private slots:
    void timesArePerIterationAndSaySo();
    void theNameTellsOfTheDeviceAndTheOps();
    void aNameKeepsItsAmpersands();
};

/// Times were sums over all iterations, with nothing that said so.
void TestNearCriticalList::timesArePerIterationAndSaySo()
{
    const NearCriticalList list(twoIterationsOf(80'000'000), nullptr);
    const QStringList texts = textsOf(list);
    QVERIFY(texts.contains(QStringLiteral("Per iteration")));
    QVERIFY(texts.contains(QStringLiteral("2 of 3")));
    QVERIFY(texts.contains(QStringLiteral("40.00 ms")));
    QVERIFY(texts.contains(QStringLiteral("0 ns")));
}

void TestNearCriticalList::theNameTellsOfTheDeviceAndTheOps()
{
    const NearCriticalList list(twoIterationsOf(1), nullptr);
    const auto *link = list.findChild<QPushButton *>();
    QCOMPARE(link->text(), QStringLiteral("PUSH weight"));
    QVERIFY(link->toolTip().contains(QStringLiteral("4 ops in 2 iterations")));
    QVERIFY(!link->isEnabled()); // it has no place in the timeline
}

/// Buttons take "&" for a mnemonic: it vanished from kernels' names, and took a key.
void TestNearCriticalList::aNameKeepsItsAmpersands()
{
    core::NearCriticalReport report = twoIterationsOf(1);
    report.steadyState[0].name = "add(float const&)";
    const NearCriticalList list(report, nullptr);
    const auto *link = list.findChild<QPushButton *>();
    QCOMPARE(link->text(), QStringLiteral("add(float const&&)"));
    QVERIFY(link->shortcut().isEmpty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestNearCriticalList)
#include "tst_near_critical_list.moc"
