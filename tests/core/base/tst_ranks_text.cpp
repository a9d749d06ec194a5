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
    }
};

QTEST_GUILESS_MAIN(RanksTextTest)
#include "tst_ranks_text.moc"
