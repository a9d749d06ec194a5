// What is found on one thread and consumed on another one comes whole and in the file's order, and
// either side's end ends both.
#include "core/import/chrome/chrome_trace_reader.h"
#include "tests/support/memory_entry.h"

#include <QTest>

#include <stdexcept>

namespace {

constexpr int EventCount = 3000; // several batches

std::string event(int number, std::size_t padding = 0)
{
    return "{\"ph\": \"X\", \"name\": \"e" + std::to_string(number) + "\", \"args\": {\"x\": \""
        + std::string(padding, 'x') + "\"}}";
}

/// Events of which a few are larger than the window's buffer; a number among them.
std::string bigTrace()
{
    std::string text = "{\"before\": 1, \"traceEvents\": [";
    for (int i = 0; i < EventCount; ++i)
        text += event(i, i % 1000 == 500 ? 3'000'000 : 100) + (i == 1234 ? ", 5, " : ", ");
    return text + event(EventCount) + "], \"after\": [2]}";
}

class Contents : public core::ChromeTraceConsumer
{
public:
    explicit Contents(const std::string &text)
        : m_text(text)
    {
    }

    void beginEvents() override { members += "begin "; }
    void addEvent(const core::ChromeEvent &event, std::string_view text,
                  std::uint64_t offset) override
    {
        isInOrder = isInOrder && event.name == "e" + std::to_string(events);
        isWhole = isWhole && m_text.compare(offset, text.size(), text) == 0 && text.front() == '{'
            && text.back() == '}';
        ++events;
        if (events == throwAt)
            throw std::runtime_error("enough");
    }
    void addOther(std::uint64_t offset) override
    {
        members += "other after " + std::to_string(events) + ' ';
        isWhole = isWhole && m_text[offset] == '5';
    }
    void addMember(std::string_view key, std::string_view value, std::uint64_t) override
    {
        members += std::string(key) + '=' + std::string(value) + ' ';
    }

    int events = 0, throwAt = 0;
    bool isInOrder = true, isWhole = true;
    std::string members;

private:
    const std::string &m_text;
};

} // namespace

class ChromeTraceReaderTest : public QObject
{
    Q_OBJECT

private slots:
    void allComesInTheOrderOfTheFile()
    {
        const std::string text = bigTrace();
        tests::MemoryEntry entry(text);
        core::Diagnostics diagnostics;
        Contents contents(text);
        core::readChromeTrace(entry, diagnostics, contents, {});
        QCOMPARE(contents.events, EventCount + 1);
        QVERIFY(contents.isInOrder);
        QVERIFY(contents.isWhole);
        QCOMPARE(contents.members, std::string("before=1 begin other after 1235 after=[2] "));
        QVERIFY(diagnostics.list().empty());
    }

    void whatTheConsumerThrowsEndsTheReading()
    {
        const std::string text = bigTrace();
        for (const int throwAt : { 1, 700, EventCount + 1 }) {
            tests::MemoryEntry entry(text);
            core::Diagnostics diagnostics;
            Contents contents(text);
            contents.throwAt = throwAt;
            QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                     core::readChromeTrace(entry, diagnostics, contents, {}));
            QCOMPARE(contents.events, throwAt);
        }
    }

    void whatCameBeforeAFailureIsThere()
    {
        const std::string text = "{\"member\": 1, \"traceEvents\": 2}";
        tests::MemoryEntry entry(text);
        core::Diagnostics diagnostics;
        Contents contents(text);
        QVERIFY_THROWS_EXCEPTION(core::Error,
                                 core::readChromeTrace(entry, diagnostics, contents, {}));
        QCOMPARE(contents.members, std::string("member=1 traceEvents=2 "));
    }

    void aCancelledReadingEnds()
    {
        const std::string text = bigTrace();
        tests::MemoryEntry entry(text);
        core::Diagnostics diagnostics;
        Contents contents(text);
        int polls = 0;
        const core::JobControl control([&polls] { return ++polls > 2; }, {});
        bool isCancelled = false;
        try {
            core::readChromeTrace(entry, diagnostics, contents, control);
        } catch (const core::Cancelled &) {
            isCancelled = true;
        }
        QVERIFY(isCancelled);
        QVERIFY(contents.events < EventCount);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ChromeTraceReaderTest)
#include "tst_chrome_trace_reader.moc"
