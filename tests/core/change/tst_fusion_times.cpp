#include "core/base/error.h"
#include "core/change/fusion/fusion_times.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

class TestFusionTimes : public QObject
{
    Q_OBJECT

private slots:
    void rowsAreRead()
    {
        const FusionTimes times("first,second,microseconds\r\nrelu,add,12.5\n\n"
                                "\"k<1, 2>\",\"say \"\"x\"\"\",3\n");
        QCOMPARE(times.of("relu", "add"), std::optional<std::int64_t>(12'500));
        QCOMPARE(times.of("k<1, 2>", "say \"x\""), std::optional<std::int64_t>(3'000));
        QCOMPARE(times.of("add", "relu"), std::nullopt);
        QCOMPARE(FusionTimes("").of("relu", "add"), std::nullopt);
    }

    void semicolonsEndRowsToo()
    {
        const FusionTimes times("a,b,1;c,d,2");
        QCOMPARE(times.of("a", "b"), std::optional<std::int64_t>(1'000));
        QCOMPARE(times.of("c", "d"), std::optional<std::int64_t>(2'000));
    }

    void aWrongRowIsNamed_data()
    {
        QTest::addColumn<QString>("row");
        QTest::newRow("two fields") << "a,b";
        QTest::newRow("no number") << "a,b,fast";
        QTest::newRow("below 0") << "a,b,-1";
        QTest::newRow("too much") << "a,b,1e300";
        QTest::newRow("no number at all") << "a,b,nan";
        QTest::newRow("a heading later") << "first,second,microseconds";
        QTest::newRow("four fields") << "k<1, 2>,b,3";
    }
    void aWrongRowIsNamed()
    {
        QFETCH(const QString, row);
        try {
            static_cast<void>(FusionTimes("relu,add,12.5\n" + row.toStdString()));
            QFAIL("it was read");
        } catch (const Error &error) {
            QVERIFY(std::string(error.what()).starts_with("Row 2 of"));
        }
    }
};

LONGPOLE_TEST(TestFusionTimes)
#include "tst_fusion_times.moc"
