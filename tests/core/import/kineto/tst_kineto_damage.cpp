#include "tests/core/import/kineto/kineto_text.h"
#include "tests/support/generate/generate_kineto.h"

#include <QTest>

#include <sstream>

using tests::imported;
using tests::names;
using tests::opEvent;
using tests::RecordingSink;
using tests::trace;

namespace {

const std::string a = opEvent("a");
const std::string b = opEvent("b");
const std::string c = opEvent("c");
const std::string all = trace(a + "," + b);

/// Where a text stands in `all`.
std::string at(const std::string &text)
{
    return std::to_string(all.find(text));
}

void row(const char *title, const std::string &json, const char *kept,
         const std::string &diagnostics)
{
    QTest::newRow(title) << QByteArray::fromStdString(json) << QByteArray(kept)
                         << QByteArray::fromStdString(diagnostics);
}

std::string generated(std::uint64_t events)
{
    std::ostringstream out;
    tests::generateKineto(out, { .events = events });
    return out.str();
}

void addCutRows()
{
    row("nothing wrong", all, "a b", "");
    row("no events", trace(""), "", "");
    row("the object is not closed", all.substr(0, all.size() - 1), "a b",
        "truncated-file warning 1 at=" + std::to_string(all.size() - 1) + "\n");
    row("the list is not closed", all.substr(0, all.size() - 2), "a b",
        "truncated-file warning 1 at=" + std::to_string(all.size() - 2) + "\n");
    row("cut after a comma", all.substr(0, all.find(b)), "a",
        "truncated-file warning 1 at=" + at(b) + "\n");
    row("cut in a number", all.substr(0, all.find(b) + 60), "a",
        "truncated-file error 1 at=" + at(b) + "\n");
    row("cut in a string", all.substr(0, all.find(b) + 10), "a",
        "truncated-file error 1 at=" + at(b) + "\n");
    row("cut after a brace", all.substr(0, all.find(b) + 1), "a",
        "truncated-file error 1 at=" + at(b) + "\n");
    row("a bare list that is not closed", "[" + a + ",\n" + b + ",\n", "a b",
        "truncated-file info 1 at=" + std::to_string(a.size() + b.size() + 5) + "\n");
    row("trailing comma", trace(a + ","), "a", "");
}

void addRowsOfDamagedText()
{
    row("unescaped quotes", trace(a + "," + opEvent("x\"y\" z") + "," + b), "a b",
        "damaged-event error 1 at=" + at(b) + "\n");
    row("one unescaped quote", trace(a + "," + opEvent("x\"y") + "," + b + "," + c), "a b c",
        "damaged-event error 1 at=" + at(b) + "\n");
    row("unescaped quote in the last event", trace(a + "," + opEvent("x\"y")), "a",
        "damaged-event error 1 at=" + at(b) + "\n");
    row("unescaped quote in a list of strings",
        trace(a
              + ",{\"ph\": \"X\", \"name\": \"x\", \"ts\": 1, \"args\": {\"Call stack\": [\"m "
                "\"n\", \"o\"]}}"
              + "," + b),
        "a b", "damaged-event error 1 at=" + at(b) + "\n");
    row("lost in the middle", trace(a + ",{\"ph\": \"X\", \"na" + "," + b + "," + c), "a c",
        "damaged-event error 1 at=" + at(b) + "\n");
    row("garbage between", trace(a + ",\xff\x01 garbage\n" + b), "a b",
        "damaged-event error 1 at=" + at(b) + "\n");
    row("two places", trace(opEvent("x\"y") + "," + a + "," + opEvent("x\"y") + "," + b), "a b",
        "damaged-event error 2 at=" + at(a) + "\n");
    row("damaged header",
        "{\"schemaVersion\": 1, \"bad\": \"x\"y\", \"z\": 1, \"traceEvents\": [" + a + "]}", "a",
        "damaged-header error 1 at=31\n");
    row("damaged tail", R"({"traceEvents": [)" + a + R"(], "distributedInfo" "rank"})", "a",
        "damaged-tail error 1 at=" + std::to_string(a.size() + 38) + "\n");
}

void addRowsOfBrackets()
{
    row("a bracket too many", trace(a + ",[" + b + "," + c), "a b c",
        "damaged-event error 1 at=" + at(b) + "\n");
    row("damage that looks like the end of the list",
        trace(a + R"(,{"ph": "X", "ts": 1, "dur": 1, "args": {"d": [1, [}], "e": 3}},)" + b + ","
              + c),
        "a b c", "damaged-event error 2 at=" + at(b) + "\n");
    row("brackets that do not match",
        trace(R"({"ph": "X", "name": "x", "ts": 1, "args": {"d": [1}}},)" + a), "a",
        "damaged-event error 1 at=37\n");
    row("deep nesting that closes",
        trace(R"({"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": {"d": )" + std::string(60, '[')
              + std::string(60, ']') + "}}," + a),
        "x a", "");
    row("nesting deeper than any trace's",
        trace(R"({"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": {"d": )" + std::string(65, '[')
              + std::string(65, ']') + "}}," + a),
        "a", "damaged-event error 1 at=37\n");
    row("deep nesting without end",
        trace(R"({"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": {"d": )"
              + std::string(100000, '[') + "," + a + "," + b),
        "a b", "damaged-event error 1 at=37\n");
}

void addRowsOfOddEvents()
{
    row("elements that are no events", trace(a + ", null, 5, \"x\", {}, " + b), "a b",
        "event-without-phase warning 1 at=" + std::to_string(all.find(b) + 15)
            + "\nnot-an-event warning 3 at=" + std::to_string(all.find(b) + 1) + "\n");
    row("control characters and bad UTF-8", trace(opEvent("x\ty\xffz")), "x y\xEF\xBF\xBDz",
        "text-replaced info 1 at=37\n");
    row("good UTF-8", trace(opEvent("x\xc3\xa9")), "x\xc3\xa9", "");
    row("a member twice", trace(R"({"ph": "X", "name": "y", "name": "x", "ts": 1, "dur": 1},)" + a),
        "x a", "repeated-member warning 1 at=37\n");
    row("an id beyond 64 bits",
        trace(R"({"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": )"
              R"({"External id": 99999999999999999999}},)"
              + a),
        "x a", "large-number warning 1 at=37\n");
    row("a quoted id",
        trace(R"({"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": {"correlation": "7"}},)" + a),
        "x a", "quoted-number info 1 at=37\n");
    row("an id with leading zeros",
        trace(R"({"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": {"correlation": 007}},)" + a),
        "x a", "not-json info 1 at=37\n");
    row("arguments that are no JSON",
        trace(R"({"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": {"v": NaN}},)"
              R"({"ph": "X", "name": "y", "ts": 1, "dur": 1, "args": {"v": [true, 1e3, null]}},)"
              + a),
        "x y a", "not-json info 1 at=37\n");
    row("commas too many, words without quotes, backslashes",
        trace(R"({"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": {"v": [1, 2, ], "w": 3}},)"
              R"({"ph": "X", "name": "y", "ts": 1, "dur": 1, "args": {"v": 1, }},)"
              R"({"ph": "X", "name": "z", "ts": 1, "dur": 1, "args": {"v": [foo bar]}},)"
              R"({"ph": "X", "name": "p", "ts": 1, "dur": 1, "args": {"v": "C:\Program"}},)"
              R"({"ph": "X", "name": "q", "ts": 1, "dur": 1, "args": {"v": "C:\\new"}},)"
              + a),
        "x y z p q a", "not-json info 4 at=37\n");
    row("escapes", trace(opEvent(R"(\u0061\"\\)")), "a", ""); // names() stops at the quote
    row("unknown phase", trace(R"({"ph": "?", "ts": 1},)" + a), "a",
        "unknown-phase warning 1 at=37\n");
    row("time is NaN", trace(opEvent("x", "NaN") + "," + a), "a", "bad-time error 1 at=37\n");
    row("time is Infinity", trace(opEvent("x", "-Infinity") + "," + a), "a",
        "bad-time error 1 at=37\n");
    row("time is too large", trace(opEvent("x", "1e300") + "," + a), "a",
        "bad-time error 1 at=37\n");
    row("negative duration", trace(R"({"ph": "X", "name": "x", "ts": 1, "dur": -1},)" + a), "a",
        "bad-duration error 1 at=37\n");
    row("no duration", trace(R"({"ph": "X", "name": "x", "ts": 1},)" + a), "a",
        "bad-duration error 1 at=37\n");
    row("end without begin", trace(R"({"ph": "E", "pid": 1, "tid": 1, "ts": 1},)" + a), "a",
        "end-without-begin warning 1 at=37\n");
    row("begin without end", trace(R"({"ph": "B", "pid": 1, "tid": 1, "ts": 1},)" + a), "a",
        "begin-without-end error 1 at=37\n");
}

} // namespace

/// Files that are cut, or were changed on their way.
class KinetoDamageTest : public QObject
{
    Q_OBJECT

private slots:
    void damageCostsNoMoreThanTheDamagedEvents_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("kept");
        QTest::addColumn<QByteArray>("diagnostics");
        addCutRows();
        addRowsOfDamagedText();
        addRowsOfBrackets();
        addRowsOfOddEvents();
    }
    void damageCostsNoMoreThanTheDamagedEvents()
    {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, kept);
        QFETCH(QByteArray, diagnostics);
        // Wherever the blocks of the entry end, the result is the same.
        for (const std::size_t blockSize : { std::size_t { 1 } << 20U, std::size_t { 13 } }) {
            const RecordingSink sink = imported(json.toStdString(), blockSize);
            QCOMPARE(QByteArray::fromStdString(names(sink)), kept);
            QCOMPARE(QByteArray::fromStdString(sink.diagnosticsText()), diagnostics);
        }
    }

    void aCutAtAnyByteKeepsWhatIsBeforeIt()
    {
        const std::string whole = generated(200);
        const std::size_t first = whole.find("\"traceEvents\": [") + 16;
        const std::uint64_t total = imported(whole).sliceCount();
        std::uint64_t previous = 0;
        for (std::size_t size = first; size < whole.size(); size += 61) {
            const std::uint64_t count = imported(whole.substr(0, size), 997).sliceCount();
            QVERIFY(count >= previous && count <= total);
            previous = count;
        }
        QVERIFY(previous + 1 >= total);
    }

    void anyByteMayBeOverwritten()
    {
        const std::string whole = generated(200);
        const std::uint64_t total = imported(whole).sliceCount();
        const std::size_t first = whole.find("\"traceEvents\": [") + 20;
        const std::size_t last = whole.rfind(']') - 4;
        for (std::size_t at = first; at < last; at += 101) {
            for (const char c : { '"', '{', '}', '[', '\\', '\0', ' ' }) {
                std::string damaged = whole;
                damaged[at] = c;
                const std::uint64_t count = imported(damaged).sliceCount();
                // At most the damaged event and the one after it are lost.
                QVERIFY2(count + 2 >= total && count <= total + 1,
                         ("byte " + std::to_string(at) + " = " + c).c_str());
            }
        }
    }

    void whatIsReadableOfACutArchiveIsKept()
    {
        const std::string text = trace(opEvent("a") + "," + opEvent("b"));
        const RecordingSink sink
            = imported(text.substr(0, text.size() - 20), 100, "the gzip data ends too early");
        QCOMPARE(names(sink), std::string("a"));
        QVERIFY(sink.diagnosticsText().starts_with("truncated-file error 1")
                || sink.diagnosticsText().find("unreadable-rest error 1 at=") == 0);
        QVERIFY(sink.diagnosticsText().find("unreadable-rest error 1 at="
                                            + std::to_string(text.size() - 20))
                != std::string::npos);
    }

    /// "Everything was read" stood beside the damage of the archive.
    void anArchiveThatIsCutBetweenEventsIsNotReadWhole()
    {
        const std::string text = trace(opEvent("a"));
        for (const std::size_t cut : { 1U, 2U }) {
            const RecordingSink sink = imported(text.substr(0, text.size() - cut), 100, "cut");
            QCOMPARE(names(sink), std::string("a"));
            QCOMPARE(sink.diagnosticsText(),
                     "unreadable-rest error 1 at=" + std::to_string(text.size() - cut) + "\n");
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(KinetoDamageTest)
#include "tst_kineto_damage.moc"
