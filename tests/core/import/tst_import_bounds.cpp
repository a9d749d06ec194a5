#include "core/import/category_counts.h"
#include "core/import/kineto_importer.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QTest>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

/// A Kineto trace of the events, without the comma behind the last.
std::string kinetoTrace(std::string events)
{
    events.pop_back();
    return R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}";
}

RecordingSink importedKineto(const std::string &json)
{
    MemoryEntry entry(json);
    RecordingSink sink;
    core::KinetoImporter().read(entry, sink, {});
    return sink;
}

std::string kinetoSlice(const std::string &category, const std::string &tid = "1")
{
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": "a", "pid": 1, "tid": )" + tid
        + R"(, "ts": 1, "dur": 1},)";
}

} // namespace

/// What a damaged file can name without end is kept up to a bound, and what is beyond is said.
class ImportBoundsTest : public QObject
{
    Q_OBJECT

private slots:
    /// Each record's category was kept, in three maps and in the project.
    void furtherCategoriesShareACount()
    {
        constexpr std::size_t Beyond = 500;
        std::string events;
        for (std::size_t i = 0; i < core::MaximumCategories + Beyond; ++i)
            events += kinetoSlice("new" + std::to_string(i));
        events += kinetoSlice(std::string(core::MaximumCategoryBytes + 1, 'x'));
        const RecordingSink sink = importedKineto(kinetoTrace(events));
        QCOMPARE(sink.counts().size(), core::MaximumCategories + 1);
        QCOMPARE(sink.counts().at(std::string(core::FurtherCategories)), Beyond + 1);
        QCOMPARE(sink.sliceCount(), core::MaximumCategories + Beyond + 1);
    }

    void kinetosOwnCategoriesAreKnownBehindAnyOthers()
    {
        std::string events;
        for (std::size_t i = 0; i < core::MaximumCategories; ++i)
            events += kinetoSlice("new" + std::to_string(i));
        events += kinetoSlice("kernel", "7");
        const RecordingSink sink = importedKineto(kinetoTrace(events));
        QCOMPARE(sink.counts().at("kernel"), std::uint64_t { 1 });
        QVERIFY(sink.text().find("stream pid=1 tid=7") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ImportBoundsTest)
#include "tst_import_bounds.moc"
