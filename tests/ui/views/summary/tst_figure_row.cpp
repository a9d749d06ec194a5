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
    void theIterationIsTheOneThatIsPredicted();
    void aWholeRecordingHasNoMedian();
};

/// The largest figure was the mean of all ranks, where the verdict above it, what-ifs and the
/// command line speak of the slowest rank's median, which may be far off it.
void TestFigureRow::theIterationIsTheOneThatIsPredicted()
{
    core::SummaryData data = fewSlowIterations();
    QCOMPARE(textsOf(data).mid(0, 3),
             (QStringList { QStringLiteral("Iteration"), QStringLiteral("163.0 ms"),
                            QStringLiteral("median, slowest rank; the parts are of the mean of all "
                                           "ranks, 244.0 ms") }));
    QVERIFY(textsOf(data).contains(QStringLiteral("41 % of the mean iteration")));
    data.hasServers = true;
    QVERIFY(textsOf(data)[2].contains(QStringLiteral("ranks without servers, 244.0 ms")));
    data.hasServers = false;
    data.ranks.resize(1);
    QCOMPARE(textsOf(data)[2], QStringLiteral("median; the parts are of the mean, 244.0 ms"));
}

void TestFigureRow::aWholeRecordingHasNoMedian()
{
    core::SummaryData data = fewSlowIterations();
    data.hasIterations = false;
    QCOMPARE(textsOf(data)[0], QStringLiteral("Recording"));
    QCOMPARE(textsOf(data)[2],
             QStringLiteral("slowest rank; the parts are of the mean of all ranks, 244.0 ms"));
    data.ranks.resize(1);
    QCOMPARE(textsOf(data)[2], QStringLiteral("all of it"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestFigureRow)
#include "tst_figure_row.moc"
