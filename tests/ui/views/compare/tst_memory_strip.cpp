#include "ui/models/peak_memory_model.h"
#include "ui/views/compare/memory_strip.h"
#include "ui/widgets/elided_label.h"

#include <QPushButton>
#include <QTableView>
#include <QTest>

using namespace ui;

namespace {

std::shared_ptr<const core::PeakMemory> devices(int count)
{
    auto memory = std::make_shared<core::PeakMemory>();
    for (int rank = 0; rank < count; ++rank)
        memory->devices.push_back({ rank, 0, 10, 1024, 4096, 4096 });
    return memory;
}

} // namespace

class TestMemoryStrip : public QObject
{
    Q_OBJECT

private slots:
    void nothingIsShownBeforeItIsKnown();
    void oneDeviceIsALine();
    void severalDevicesAreATableOnDemand();
    void theReasonIsShownInstead();
};

void TestMemoryStrip::nothingIsShownBeforeItIsKnown()
{
    QWidget window;
    MemoryStrip strip(&window);
    QVERIFY(!strip.isVisibleTo(&window));
    strip.setMemory(devices(1));
    QVERIFY(strip.isVisibleTo(&window));
    strip.setMemory(nullptr);
    QVERIFY(!strip.isVisibleTo(&window));
}

void TestMemoryStrip::oneDeviceIsALine()
{
    MemoryStrip strip(nullptr);
    strip.setExpanded(true);
    strip.setMemory(devices(1));
    QCOMPARE(strip.findChild<ElidedLabel *>()->fullText(), peakMemoryText(*devices(1)));
    QVERIFY(!strip.findChild<QPushButton *>()->isVisibleTo(&strip));
    QVERIFY(!strip.findChild<QTableView *>()->isVisibleTo(&strip));
}

void TestMemoryStrip::severalDevicesAreATableOnDemand()
{
    MemoryStrip strip(nullptr);
    strip.setMemory(devices(8));
    auto *table = strip.findChild<QTableView *>();
    auto *more = strip.findChild<QPushButton *>();
    QVERIFY(!table->isVisibleTo(&strip));
    QVERIFY(more->text().contains(QLatin1Char('8')));
    more->click();
    QVERIFY(table->isVisibleTo(&strip));
    QCOMPARE(table->model()->rowCount(), 8);
    strip.setMemory(devices(2)); // a new prediction keeps it open
    QVERIFY(table->isVisibleTo(&strip));
    more->click();
    QVERIFY(!table->isVisibleTo(&strip));
}

void TestMemoryStrip::theReasonIsShownInstead()
{
    auto unknown = std::make_shared<core::PeakMemory>();
    unknown->unknown = "no allocations are recorded.";
    MemoryStrip strip(nullptr);
    strip.setMemory(unknown);
    QVERIFY(strip.findChild<ElidedLabel *>()->fullText().contains(
        QStringLiteral("no allocations are recorded.")));
    QVERIFY(!strip.findChild<QTableView *>()->isVisibleTo(&strip));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestMemoryStrip)
#include "tst_memory_strip.moc"
