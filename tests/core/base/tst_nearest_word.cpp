#include "core/base/nearest_word.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

class NearestWordTest : public QObject
{
    Q_OBJECT

private slots:
    void theFewestLettersChange();
};

void NearestWordTest::theFewestLettersChange()
{
    const std::vector<std::string_view> words { "schedule", "credit_bytes", "bandwidth_mbit",
                                                "bandwidth_scale" };
    QCOMPARE(nearestWord("shedule", words), words[0]);
    QCOMPARE(nearestWord("schedules", words), words[0]);
    QCOMPARE(nearestWord("bandwith_mbit", words), words[2]);
    QCOMPARE(nearestWord("bandwidth", words), words[2]);
    QCOMPARE(nearestWord("bandwidth_sale", words), words[3]);
    QCOMPARE(nearestWord("cred", words), words[1]);
    QCOMPARE(nearestWord("schedule", { "schedule_seed", "schedule" }),
             std::string_view("schedule"));
    QCOMPARE(nearestWord("xyz", words), std::string_view());
    QCOMPARE(nearestWord("", words), std::string_view());
    QCOMPARE(nearestWord("x", {}), std::string_view());
}

LONGPOLE_TEST(NearestWordTest)
#include "tst_nearest_word.moc"
