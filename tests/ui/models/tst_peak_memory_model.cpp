#include "ui/models/peak_memory_model.h"
#include "ui/widgets/format.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace ui;

namespace {

constexpr std::uint64_t GiB = std::uint64_t { 1 } << 30;

std::shared_ptr<core::PeakMemory> twoDevices()
{
    auto memory = std::make_shared<core::PeakMemory>();
    memory->devices
        = { { 0, 0, 100, GiB, 4 * GiB, 5 * GiB }, { 1, 1, 100, GiB, 3 * GiB, 3 * GiB } };
    return memory;
}

QString plain(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' '));
}

QStringList rowOf(const QAbstractItemModel &model, int row)
{
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column)
        cells << plain(model.index(row, column).data().toString());
    return cells;
}

} // namespace

class TestPeakMemoryModel : public QObject
{
    Q_OBJECT

private slots:
    void isAProperModel();
    void eachDeviceHasItsPeaksAndTheirChange();
    void aPeakThatIsNotPredictedSaysWhy();
    void theTextTellsTheLargestOfAll();
    void theTextTellsWhyNothingIsKnown();
};

void TestPeakMemoryModel::isAProperModel()
{
    PeakMemoryModel model(nullptr);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 0);
    model.setSnapshot(twoDevices());
    QCOMPARE(model.rowCount(), 2);
    model.setSnapshot(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

void TestPeakMemoryModel::eachDeviceHasItsPeaksAndTheirChange()
{
    PeakMemoryModel model(nullptr);
    auto memory = twoDevices();
    memory->devices[1].device.reset();
    model.setSnapshot(memory);
    QCOMPARE(rowOf(model, 0),
             QStringList({ QStringLiteral("Rank 0"), QStringLiteral("device 0"),
                           QStringLiteral("1.000 GiB"), QStringLiteral("4.000 GiB"),
                           QStringLiteral("5.000 GiB"), QStringLiteral("+25 %") }));
    QCOMPARE(rowOf(model, 1),
             QStringList({ QStringLiteral("Rank 1"), QStringLiteral("host memory"),
                           QStringLiteral("1.000 GiB"), QStringLiteral("3.000 GiB"),
                           QStringLiteral("3.000 GiB"), QStringLiteral("unchanged") }));
}

void TestPeakMemoryModel::aPeakThatIsNotPredictedSaysWhy()
{
    auto memory = twoDevices();
    memory->devices[0].predictedBytes.reset();
    memory->notPredicted = "the batch differs.";
    PeakMemoryModel model(nullptr);
    model.setSnapshot(memory);
    const QModelIndex cell = model.index(0, PeakMemoryModel::PredictedColumn);
    QCOMPARE(cell.data().toString(), QStringLiteral("not known"));
    QCOMPARE(cell.data(Qt::ToolTipRole).toString(),
             toolTipParagraphs(QStringLiteral("the batch differs.")));
    QCOMPARE(plain(peakMemoryText(*memory)),
             QStringLiteral("Peak memory: measured 4.000 GiB (the largest of 2 devices); predicted "
                            "not known: the batch differs."));
}

void TestPeakMemoryModel::theTextTellsTheLargestOfAll()
{
    auto memory = twoDevices();
    QCOMPARE(plain(peakMemoryText(*memory)),
             QStringLiteral("Peak memory: measured 4.000 GiB, predicted 5.000 GiB (+25 %); the "
                            "largest of 2 devices"));
    memory->devices.pop_back();
    memory->devices[0].predictedBytes = memory->devices[0].measuredBytes;
    memory->ranksWithout = { 1 };
    QCOMPARE(
        plain(peakMemoryText(*memory)),
        QStringLiteral("Peak memory: measured 4.000 GiB, predicted 4.000 GiB (unchanged); rank "
                       "0, device 0; nothing is recorded of rank 1"));
}

void TestPeakMemoryModel::theTextTellsWhyNothingIsKnown()
{
    core::PeakMemory memory;
    memory.unknown = "no allocations are recorded.";
    QCOMPARE(peakMemoryText(memory),
             QStringLiteral("Peak memory: not known: no allocations are recorded."));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestPeakMemoryModel)
#include "tst_peak_memory_model.moc"
