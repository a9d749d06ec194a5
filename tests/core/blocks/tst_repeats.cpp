#include "core/blocks/repeats.h"

#include <QTest>

#include <string>
#include <vector>

using namespace core;

class TestRepeats : public QObject
{
    Q_OBJECT

private slots:
    void theLongestRepeatIsFound_data();
    void theLongestRepeatIsFound();
};

void TestRepeats::theLongestRepeatIsFound_data()
{
    QTest::addColumn<QString>("sequence");
    QTest::addColumn<QString>("found"); // "first period count"
    QTest::newRow("nothing") << "abcdef"
                             << "";
    QTest::newRow("twice is not enough") << "abcabc"
                                         << "";
    QTest::newRow("three layers") << "abcabcabc"
                                  << "0 3 3";
    QTest::newRow("within others") << "xabcdabcdabcdyz"
                                   << "1 4 3";
    QTest::newRow("a layer that has the same op twice") << "aabcaabcaabc"
                                                        << "0 4 3";
    QTest::newRow("the shorter period of two") << "abcabcabcabcabcabc"
                                               << "0 3 6";
    QTest::newRow("less than half of it") << "abcabcabc0123456789klmn"
                                          << "";
    QTest::newRow("a broken one") << "abcdabcdabcdabcdabXd"
                                  << "0 4 4";
}

void TestRepeats::theLongestRepeatIsFound()
{
    QFETCH(const QString, sequence);
    QFETCH(const QString, found);
    std::vector<std::uint32_t> elements;
    for (const QChar c : sequence)
        elements.push_back(c.unicode());
    const std::optional<Repeat> repeat = longestRepeat(elements);
    QCOMPARE(
        repeat
            ? QStringLiteral("%1 %2 %3").arg(repeat->first).arg(repeat->period).arg(repeat->count)
            : QString(),
        found);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRepeats)
#include "tst_repeats.moc"
