#include "core/import/lenient_members.h"

#include <QTest>

#include <nlohmann/json.hpp>

using core::strictText;

/// Arguments are stored so that SQL's json_extract() reads them: one NaN ended a query over all of
/// them.
class StrictTextTest : public QObject
{
    Q_OBJECT

private slots:
    void whatJsonDoesNotKnowBecomesText_data();
    void whatJsonDoesNotKnowBecomesText();
    void whatJsonKnowsStays();
};

void StrictTextTest::whatJsonDoesNotKnowBecomesText_data()
{
    QTest::addColumn<QByteArray>("written");
    QTest::addColumn<QByteArray>("kept");
    const auto row = [](const char *title, const char *written, const char *kept) {
        QTest::newRow(title) << QByteArray(written) << QByteArray(kept);
    };
    row("NaN", R"({"v": NaN})", R"({"v": "NaN"})");
    row("infinities", R"({"v": -Infinity, "w": inf})", R"({"v": "-Infinity", "w": "inf"})");
    row("within a list", R"({"v": [1, nan, [NaN]]})", R"({"v": [1, "nan", ["NaN"]]})");
    row("hexadecimal", R"({"v": 0x1f})", R"({"v": "0x1f"})");
    row("leading zeros", R"({"v": 007})", R"({"v": "007"})");
    row("ends with a point", R"({"v": 1.})", R"({"v": "1."})");
    row("too large for a double", R"({"v": 1e999})", R"({"v": "1e999"})");
    row("a backslash", R"({"v": a\b})", R"({"v": "a\\b"})");
}

void StrictTextTest::whatJsonDoesNotKnowBecomesText()
{
    QFETCH(const QByteArray, written);
    QFETCH(const QByteArray, kept);
    QVERIFY(!nlohmann::json::accept(written.toStdString()) || written.contains("1e999"));
    QCOMPARE(QByteArray::fromStdString(strictText(written.toStdString())), kept);
    QVERIFY(nlohmann::json::accept(kept.toStdString()));
}

void StrictTextTest::whatJsonKnowsStays()
{
    for (const std::string text :
         { R"({"a": "NaN, 0x1f", "b": [true, false, null], "c": -1.5e-3, "d": {"e": "\"007\""}})",
           R"({})", R"({"a":[[],[1,2]]})", R"({"a": 18446744073709551615})" })
        QCOMPARE(strictText(text), text);
}

QTEST_GUILESS_MAIN(StrictTextTest)
#include "tst_strict_text.moc"
