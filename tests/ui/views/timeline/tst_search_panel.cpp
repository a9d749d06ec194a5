#include "ui/views/timeline/search_hits_model.h"
#include "ui/views/timeline/search_panel.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace ui;

namespace {

std::shared_ptr<const std::vector<SearchHit>> threeHits()
{
    const auto id = [](std::uint64_t value) { return core::SliceId(value); };
    return std::make_shared<const std::vector<SearchHit>>(std::vector<SearchHit> {
        { id(7), QStringLiteral("first"), QStringLiteral("stream 7"), 10, { 1'000, 3'000 } },
        { id(9), QStringLiteral("second"), QStringLiteral("stream 7"), 2, { 2'000, 9'000 } },
        { id(4), QStringLiteral("third"), QStringLiteral("thread 1"), 0, { 50'000, 50'500 } } });
}

} // namespace

/// The table of hits below the timeline.
class TestSearchPanel : public QObject
{
    Q_OBJECT

private:
    static QString text(const QTableView &table, int row, int column)
    {
        return table.model()->index(row, column).data().toString();
    }
    static bool says(const SearchPanel &panel, const QString &text)
    {
        const auto labels = panel.findChildren<QLabel *>();
        return std::ranges::any_of(labels,
                                   [&text](const QLabel *label) { return label->text() == text; });
    }

private slots:
    void rowsSayWhereAHitIs()
    {
        SearchHitsModel model(nullptr);
        const QAbstractItemModelTester tester(&model);
        model.setIterations(
            { { QStringLiteral("iteration 2"), { 40'000, 60'000 } },
              { QStringLiteral("iteration 1"), { 0, 2'000 }, QStringLiteral("1") } });
        model.setHits(threeHits(), 1'000);
        QCOMPARE(model.rowCount(), 3);
        QStringList cells;
        for (int column = 0; column < SearchHitsModel::ColumnCount; ++column)
            cells << model.index(0, column).data().toString();
        QCOMPARE(cells.join(u'|'),
                 QStringLiteral("first|10|stream 7|%1|%2|1")
                     .arg(formatDuration(0), formatDuration(2'000)));
        QCOMPARE(model.index(1, SearchHitsModel::IterationColumn).data().toString(),
                 QStringLiteral("\u2013"));
        QCOMPARE(model.index(2, SearchHitsModel::IterationColumn).data().toString(),
                 QStringLiteral("iteration 2"));
        QCOMPARE(model.rowOf(core::SliceId(4)), std::optional(2));
        QVERIFY(!model.rowOf(core::SliceId(5)));
    }

    /// The file had the trace's own clock where the table counts from its beginning.
    void startsOfTheFileAreThoseOfTheTable()
    {
        SearchHitsModel model(nullptr);
        model.setHits(threeHits(), 1'000);
        const QStringList lines = tableCsv(model).split(QStringLiteral("\r\n"));
        QCOMPARE(lines.front(),
                 QStringLiteral("Name,Rank,Track,Start (ns since the trace's beginning),"
                                "Duration (ns),Iteration"));
        QVERIFY2(lines.at(1).startsWith(QStringLiteral("first,10,stream 7,0,2000,")),
                 qPrintable(lines.at(1)));
        QVERIFY2(lines.at(3).startsWith(QStringLiteral("third,0,thread 1,49000,500,")),
                 qPrintable(lines.at(3)));
        QVERIFY(model.headerData(SearchHitsModel::StartColumn, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("beginning of the trace")));
    }

    void theFirstClickOnAFigureSortsTheLargestFirst()
    {
        SearchPanel panel;
        panel.resize(900, 300);
        panel.show();
        panel.showHits(threeHits(), false, 0);
        const auto &table = *panel.findChild<QTableView *>();
        QCOMPARE(text(table, 0, SearchHitsModel::NameColumn), QStringLiteral("first"));
        QHeaderView &header = *table.horizontalHeader();
        const auto click = [&](int column) {
            QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                              { header.sectionViewportPosition(column) + 20, 8 });
        };
        click(SearchHitsModel::DurationColumn);
        QCOMPARE(text(table, 0, SearchHitsModel::NameColumn), QStringLiteral("second"));
        click(SearchHitsModel::RankColumn);
        QCOMPARE(text(table, 0, SearchHitsModel::RankColumn), QStringLiteral("10"));
        click(SearchHitsModel::TrackColumn);
        QCOMPARE(text(table, 2, SearchHitsModel::TrackColumn), QStringLiteral("thread 1"));
    }

    void aClickAndEnterSelectTheSlice()
    {
        SearchPanel panel;
        panel.resize(900, 300);
        panel.show();
        panel.showHits(threeHits(), false, 0);
        const QSignalSpy activated(&panel, &SearchPanel::hitActivated);
        auto &table = *panel.findChild<QTableView *>();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(table.model()->index(1, 0)).center());
        QVERIFY(!activated.isEmpty());
        QCOMPARE(activated.back()[0].value<core::SliceId>(), core::SliceId(9));
        const auto before = activated.size();
        panel.followSelection(core::SliceId(4)); // no signal
        QCOMPARE(activated.size(), before);
        QTest::keyClick(&table, Qt::Key_Return);
        QCOMPARE(activated.back()[0].value<core::SliceId>(), core::SliceId(4));
        QVERIFY(panel.isVisible());
    }

    void moreThanAreShownAreCounted()
    {
        SearchPanel panel;
        QVERIFY(says(panel, QStringLiteral("No hits")));
        panel.showHits(threeHits(), false, 0);
        QVERIFY(says(panel, QStringLiteral("3 hits")));
        panel.showHits(threeHits(), true, 0);
        QVERIFY(says(panel, QStringLiteral("The first 3 hits; there are more")));
        panel.showTotal(12);
        QVERIFY(says(panel, QStringLiteral("The first 3 of 12 hits")));
        panel.showMarked(2, 0);
        QVERIFY(says(panel, QStringLiteral("The first 3 of 12 hits; 2 marked")));
        panel.showMarked(1, 2);
        QVERIFY(says(panel, QStringLiteral("The first 3 of 12 hits; 1 marked, 2 were already")));
        panel.forgetMarked();
        QVERIFY(says(panel, QStringLiteral("The first 3 of 12 hits")));
        panel.showMessage(QStringLiteral("position 1"));
        panel.forgetMarked(); // nothing to forget
        QVERIFY(says(panel, QStringLiteral("position 1")));
    }

    void marksAreAskedForInTheOrderOfTheTable()
    {
        SearchPanel panel;
        panel.showHits(threeHits(), false, 0);
        const QSignalSpy marks(&panel, &SearchPanel::marksRequested);
        auto &table = *panel.findChild<QTableView *>();
        table.sortByColumn(SearchHitsModel::DurationColumn, Qt::DescendingOrder);
        panel.findChild<QPushButton *>()->click();
        QCOMPARE(marks.size(), 1);
        const auto ranges = marks.front()[0].value<std::vector<core::TimeRange>>();
        QCOMPARE(ranges.size(), std::size_t(3));
        QVERIFY(ranges.front() == (core::TimeRange { 2'000, 9'000 }));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSearchPanel)
#include "tst_search_panel.moc"
