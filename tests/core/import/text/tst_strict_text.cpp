#include "core/import/text/strict_text.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <random>

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
    void anyTokensBecomeJson();
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
    row("a comma at the end", R"({"v": 1, })", R"({"v": 1})");
    row("commas at ends within", R"({"v": [1,2,], "w": {"x": 1 ,}})",
        R"({"v": [1,2], "w": {"x": 1}})");
    row("only a comma", R"({"v": [,]})", R"({"v": []})");
    row("two commas", R"({"v": [1,,2]})", R"({"v": [1, 2]})");
    row("two words", R"({"v": [foo bar, 1]})", R"({"v": ["foo bar", 1]})");
    row("three words", R"({"v": {"w": a true 3}})", R"({"v": {"w": "a true 3"}})");
    row("no comma", R"({"v": [NaN "a"  ["b"]]})", R"({"v": ["NaN", "a", ["b"]]})");
    row("no colon", R"({"v": {"w" 1}})", R"({"v": {"w": 1}})");
    row("no value", R"({"v": {"w": , "x":}})", R"({"v": {"w": null, "x": null}})");
    row("no key", R"({"v": {: [1], "x": 2}})", R"({"v": {"": [1], "x": 2}})");
    row("a word for a key", R"({"v": {w: 1, 2: 3}})", R"({"v": {"w": 1, "2": 3}})");
    row("backslashes in a text", R"({"v": "C:\Users\u12", "w": 1})",
        R"({"v": "C:\\Users\\u12", "w": 1})");
    row("an exponent behind a point", R"({"v": 1.e5})", R"({"v": "1.e5"})");
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
           R"({})", R"({"a":[[],[1,2]]})", R"({"a": 18446744073709551615})",
           R"({ "a" : [ 1 , 2 ] , "b" : { } })", R"({"a": "\u00e9\n\\ \/"})" })
        QCOMPARE(strictText(text), text);
}

void StrictTextTest::anyTokensBecomeJson()
{
    const std::vector<std::string> tokens { "{",     "}",       "[",        "]",   ",",       ":",
                                            "\"a\"", "\"\\q\"", "\"\\\"\"", "foo", "NaN",     "1",
                                            "-0.5",  "007",     " ",        "\n",  "\"\\u1\"" };
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) {
        std::string text = i % 2 == 0 ? "{" : "[";
        for (std::size_t left = random() % 20; left > 0; --left)
            text += tokens[random() % tokens.size()];
        const std::string strict = strictText(text);
        QVERIFY2(nlohmann::json::accept(strict), (text + " -> " + strict).c_str());
        QCOMPARE(strictText(strict), strict);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(StrictTextTest)
#include "tst_strict_text.moc"
