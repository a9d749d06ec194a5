#include "core/analyze/summary_data.h"
#include "ui/theme/theme.h"
#include "ui/views/summary/figure_row.h"

#include <QApplication>
#include <QLabel>
#include <QTest>

#include <memory>

using namespace ui;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// Of 163 ms in the median, the slowest rank, and 244 ms in the mean of all.
core::SummaryData fewSlowIterations()
{
    core::SummaryData data;
    data.hasIterations = true;
    data.iterationNs = 163 * Ms;
    data.parts.computeNs = 144 * Ms;
    data.parts.idleNs = 100 * Ms;
    data.ranks.resize(4);
    return data;
}

QStringList textsOf(const core::SummaryData &data)
{
    const std::unique_ptr<QWidget> row(createFigureRow(data, themeOf(qApp->palette())));
    QStringList texts;
    for (const QLabel *label : row->findChildren<QLabel *>())
        texts << label->text().replace(QChar(0x202F), QLatin1Char(' '));
    return texts;
}

} // namespace

class TestFigureRow : public QObject
{
    Q_OBJECT

private slots:
    void theFourHaveOneBasis();
    void aRecordingIsCalledSo();
};

/// The largest figure was of the slowest rank, the others of the mean of all: they did not add up.
void TestFigureRow::theFourHaveOneBasis()
{
    core::SummaryData data = fewSlowIterations();
    QCOMPARE(
        textsOf(data).mid(0, 3),
        (QStringList { QStringLiteral("Iteration"), QStringLiteral("244.0 ms"),
                       QStringLiteral("median iteration, mean of all ranks; slowest rank: 163.0 "
                                      "ms") }));
    QVERIFY(textsOf(data).contains(QStringLiteral("41 % of the iteration")));
    data.hasServers = true;
    QVERIFY(textsOf(data)[2].contains(QStringLiteral("mean of all ranks but servers;")));
    data.hasServers = false;
    data.ranks.resize(1);
    QCOMPARE(textsOf(data)[2], QStringLiteral("the typical iteration"));
}

void TestFigureRow::aRecordingIsCalledSo()
{
    core::SummaryData data = fewSlowIterations();
    data.hasIterations = false;
    QCOMPARE(textsOf(data)[0], QStringLiteral("Recording"));
    QVERIFY(textsOf(data).contains(QStringLiteral("41 % of the recording")));
    data.ranks.resize(1);
    QCOMPARE(textsOf(data)[2], QStringLiteral("all of it"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestFigureRow)
#include "tst_figure_row.moc"
