#include "ui/models/collectives_model.h"
#include "ui/views/summary/collectives_table.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QTest>

using namespace ui;

namespace {

/// The longer a collective waited, the lower its number, which is shown with as many digits as it
/// has: that of the last ones is `lastNumber`.
std::shared_ptr<const core::Diagnosis> manyCollectives(std::size_t count, std::uint64_t lastNumber)
{
    auto diagnosis = std::make_shared<core::Diagnosis>();
    for (std::size_t i = 0; i < count; ++i) {
        core::CollectiveReport one;
        one.name = "all_reduce";
        one.sequence = i + 1 == count ? lastNumber : 1;
        one.ranks.resize(2);
        one.ranks[0].waitNs = static_cast<std::int64_t>(count - i);
        diagnosis->collectives.push_back(std::move(one));
    }
    return diagnosis;
}

int widthOfNumbers(std::size_t count, std::uint64_t lastNumber)
{
    CollectivesTable table(manyCollectives(count, lastNumber), nullptr);
    table.resize(1000, table.height());
    table.show();
    return table.columnWidth(CollectivesModel::SequenceColumn);
}

} // namespace

class TestCollectivesTable : public QObject
{
    Q_OBJECT

private slots:
    void columnsAreAsWideAsTheFiguresThatAreSeen();
    void farRowsAreNotMeasured();
    void thePageScrollsAndNotTheTable();
};

/// A scroll bar stood beside the page's own.
void TestCollectivesTable::thePageScrollsAndNotTheTable()
{
    CollectivesTable table(manyCollectives(200, 1), nullptr);
    table.resize(1000, table.height());
    table.show();
    QVERIFY(table.hasMore());
    QVERIFY(!table.verticalScrollBar()->isVisible());
    const int fewHeight = table.height();
    // In a PDF, which clips nothing, a row that began in the last pixels lay over what is below.
    const int bottom = table.viewport()->height() - 1;
    QCOMPARE(table.rowAt(bottom), table.rowAt(bottom - table.rowHeight(0) + 1));
    table.showAll(true);
    QCOMPARE(table.verticalScrollBar()->maximum(), 0); // all rows are seen
    QVERIFY(table.height() > 10 * fewHeight);
    table.showAll(false);
    QCOMPARE(table.height(), fewHeight);
    QVERIFY(!CollectivesTable(manyCollectives(5, 1), nullptr).hasMore());
}

void TestCollectivesTable::columnsAreAsWideAsTheFiguresThatAreSeen()
{
    QVERIFY(widthOfNumbers(5, 1'000'000'000'000) > widthOfNumbers(5, 1));
}

/// Every sort and every resize asked a thousand rows for their texts, in the window's thread.
void TestCollectivesTable::farRowsAreNotMeasured()
{
    QCOMPARE(widthOfNumbers(900, 1'000'000'000'000), widthOfNumbers(900, 1));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCollectivesTable)
#include "tst_collectives_table.moc"
