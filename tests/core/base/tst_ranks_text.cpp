#include "core/base/ranks_text.h"

#include <QtTest>

class RanksTextTest : public QObject
{
    Q_OBJECT

private slots:
    void ranksAreListedUpToFour()
    {
        const auto text = [](const std::vector<int> &ranks) {
            return QString::fromStdString(core::ranksText(ranks));
        };
        QCOMPARE(text({ 3 }), QStringLiteral("rank 3"));
        QCOMPARE(text({ 0, 1, 2 }), QStringLiteral("ranks 0-2"));
        QCOMPARE(text({ 10, 12, 15 }), QStringLiteral("ranks 10, 12, 15"));
        QCOMPARE(text({ 0, 1, 5, 6, 9 }), QStringLiteral("ranks 0, 1, 5, 6 and 1 other"));
        QCOMPARE(text({ 0, 1, 5, 6, 9, 11 }), QStringLiteral("ranks 0, 1, 5, 6 and 2 others"));
        QCOMPARE(text({ 2, 5, 8, 11, 14 }), QStringLiteral("ranks 2, 5 ... 14"));
    }

    void numbersAreSortedAndRunsShortened()
    {
        const auto text = [](const std::vector<int> &ranks) {
            return QString::fromStdString(core::rankNumbersText(ranks));
        };
        QCOMPARE(text({}), QString());
        QCOMPARE(text({ 2, 1, 3 }), QStringLiteral("1-3"));
        QCOMPARE(text({ 8, 0, 11, 4, 9, 10 }), QStringLiteral("0, 4, 8-11"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RanksTextTest)
#include "tst_ranks_text.moc"
