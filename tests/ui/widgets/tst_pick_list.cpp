#include "ui/widgets/pick_list.h"

#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QSignalSpy>
#include <QTest>

using ui::fuzzyScore;
using ui::PickList;

class TestPickList : public QObject
{
    Q_OBJECT

private:
    static PickList *shown(std::vector<ui::PickEntry> entries, QWidget &window)
    {
        auto *list = new PickList(std::move(entries), QStringLiteral("Type"), &window);
        list->popUpOver(window);
        return list;
    }

private slots:
    void entriesMatchAsSubsequences()
    {
        QVERIFY(
            fuzzyScore(QStringLiteral("exim"), QStringLiteral("File: Export image")).has_value());
        QVERIFY(
            !fuzzyScore(QStringLiteral("xyz"), QStringLiteral("File: Export image")).has_value());
        QVERIFY(*fuzzyScore(QStringLiteral("dark"), QStringLiteral("Theme: Dark"))
                > *fuzzyScore(QStringLiteral("dark"), QStringLiteral("Add a trace, or keep")));
    }

    void whatIsTypedNarrowsAndEnterPicks()
    {
        QWidget window;
        QPointer<PickList> list
            = shown({ { QStringLiteral("rank 0 stream 7") },
                      { QStringLiteral("rank 1 stream 7"), QStringLiteral("Ctrl+1") },
                      { QStringLiteral("rank 1 stream 20") } },
                    window);
        QSignalSpy picked(list, &PickList::picked);
        auto &edit = *list->findChild<QLineEdit *>();
        const auto &rows = *list->findChild<QListWidget *>();
        QCOMPARE(rows.count(), 3);
        QTest::keyClicks(&edit, QStringLiteral("rank1"));
        QCOMPARE(rows.count(), 2);
        QVERIFY(rows.item(0)->text().endsWith(QStringLiteral("Ctrl+1")));
        QTest::keyClick(&edit, Qt::Key_Down);
        QTest::keyClick(&edit, Qt::Key_Return);
        QCOMPARE(picked.size(), 1);
        QCOMPARE(picked[0][0].value<std::size_t>(), 2U);
        QTRY_VERIFY(list.isNull());
    }

    void nothingIsPickedWhereNothingMatches()
    {
        QWidget window;
        PickList *list = shown({ { QStringLiteral("rank 0") } }, window);
        QSignalSpy picked(list, &PickList::picked);
        QTest::keyClicks(list->findChild<QLineEdit *>(), QStringLiteral("zz"));
        QTest::keyClick(list->findChild<QLineEdit *>(), Qt::Key_Return);
        QCOMPARE(picked.size(), 0);
    }

    /// 4,096 ranks have tens of thousands of tracks.
    void ofVeryManyTheBestAreShown()
    {
        QWidget window;
        std::vector<ui::PickEntry> entries;
        for (int i = 0; i < 5000; ++i)
            entries.push_back({ QStringLiteral("rank %1").arg(i) });
        PickList *list = shown(std::move(entries), window);
        const auto &rows = *list->findChild<QListWidget *>();
        QVERIFY(rows.count() < 1000);
        QTest::keyClicks(list->findChild<QLineEdit *>(), QStringLiteral("rank 4711"));
        QCOMPARE(rows.item(0)->text(), QStringLiteral("rank 4711"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestPickList)
#include "tst_pick_list.moc"
