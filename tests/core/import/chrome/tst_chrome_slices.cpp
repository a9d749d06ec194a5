#include "core/import/chrome/chrome_slices.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QTest>

using core::ChromeSlice;
using core::ChromeSlices;

namespace {

class Names : public core::ChromeSliceConsumer
{
public:
    void addSlice(const ChromeSlice &slice) override
    {
        all += std::string(slice.category) + '/' + std::string(slice.name) + ' ';
    }

    std::string all;
};

} // namespace

class ChromeSlicesTest : public QObject
{
    Q_OBJECT

private slots:
    // A fuzzer's find: categories were counted as written, and bytes that are no UTF-8 went on.
    void categoriesAreCountedByTheNameThatSlicesHave()
    {
        tests::MemoryEntry entry("{\"traceEvents\": ["
                                 "{\"ph\": \"X\", \"ts\": 1, \"dur\": 1, \"name\": \"a\", "
                                 "\"cat\": \"op\\u0065rator\"},"
                                 "{\"ph\": \"X\", \"ts\": 2, \"dur\": 1, \"name\": \"b\", "
                                 "\"cat\": \"operator\"},"
                                 "{\"ph\": \"X\", \"ts\": 3, \"dur\": 1, \"name\": \"c\", "
                                 "\"cat\": \"\xff\"},"
                                 "{\"ph\": \"i\", \"ts\": 3, \"name\": \"d\"}]}");
        tests::RecordingSink sink;
        Names names;
        ChromeSlices slices(names, sink, "trace.json");
        core::readChromeTrace(entry, sink.diagnostics(), slices, {});
        slices.finish();
        QCOMPARE(names.all, std::string("operator/a operator/b \uFFFD/c "));
        const ChromeSlices::Counts expected = { { "operator", 2 }, { "\uFFFD", 1 }, { "none", 1 } };
        QCOMPARE(slices.counts(), expected);
    }

    // They were read, none was skipped, and they were nowhere.
    void eventsWithoutAPlaceOnTheTimelineAreToldByKind()
    {
        std::string list;
        for (const char phase : std::string("CCiIbneNsftMX?"))
            list += std::string(list.empty() ? "" : ",") + "{\"ph\": \"" + phase
                + "\", \"ts\": 1, \"dur\": 1, \"name\": \"a\"}";
        tests::MemoryEntry entry("{\"traceEvents\": [" + list + "]}");
        tests::RecordingSink sink;
        Names names;
        ChromeSlices slices(names, sink, "trace.json");
        core::readChromeTrace(entry, sink.diagnostics(), slices, {});
        slices.finish();
        QCOMPARE(names.all, std::string("none/a "));
        QCOMPARE(sink.diagnosticsText(),
                 std::string("unknown-phase warning 1 at=589\nnot-shown-async info 3 at=193\n"
                             "not-shown-counters info 2 at=17\nnot-shown-events info 1 at=325\n"
                             "not-shown-instants info 2 at=105\n"));
        QCOMPARE(slices.counts().at("none"), std::uint64_t { 14 });
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ChromeSlicesTest)
#include "tst_chrome_slices.moc"
