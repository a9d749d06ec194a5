#include "core/base/error.h"
#include "core/import/importer.h"
#include "core/import/text/damage_search.h"
#include "core/import/text/json_scan.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QTest>

#include <algorithm>
#include <array>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

std::string repeated(std::string_view unit, std::size_t size)
{
    std::string text;
    text.reserve(size + unit.size());
    while (text.size() < size)
        text += unit;
    return text;
}

} // namespace

/// Text that is made to let a reader look at the same bytes over and over.
class HostileJsonTest : public QObject
{
    Q_OBJECT

private slots:
    /// The bound that keeps the search for the next event linear: from any bracket on, at most
    /// MaximumDepth of those that follow are looked at, so that a byte is seen from at most as
    /// many.
    void aScanEndsAtTheDeepestNesting()
    {
        for (const std::string_view unit : { "[", "{\"a\":", "{\"ph\":[" }) {
            const auto brackets = static_cast<std::size_t>(std::count_if(
                unit.begin(), unit.end(), [](char c) { return c == '{' || c == '['; }));
            const std::size_t looked = unit.size() * core::json::MaximumDepth / brackets;
            // Behind the bound stands what would end the scan elsewhere.
            std::string text = repeated(unit, looked) + unit.front() + std::string(1000, ' ');
            const std::size_t size = text.size();
            text += std::string(core::json::ScanPadding, '\0');
            const char *end = text.data() + size;
            std::uint32_t flags = 0;
            QVERIFY(core::json::skipValue(text.data(), end, flags) == nullptr);
        }
    }

    /// Search for the next record took 0.5 s a MB of braces, and could be cancelled only once in
    /// 512 KiB of them.
    void aSearchInVainLooksLessFarAndIsPolled()
    {
        int polls = 0;
        const core::JobControl control([&polls] { return ++polls == 200; }, {});
        core::DamageSearch search(control);
        const std::string text(1024 * 1024, '{');
        const char *begin = text.data();
        QCOMPARE(search.reach(), core::DamageSearch::AmpleReach);
        QCOMPARE(search.depth(), core::json::MaximumDepth);
        while (!search.isScarce())
            search.addFailedTry(begin, begin + text.size());
        QCOMPARE(search.lookedBytes(), core::DamageSearch::AmpleBytes);
        QCOMPARE(search.reach(), core::DamageSearch::ScarceReach);
        QCOMPARE(search.depth(), core::DamageSearch::ScarceDepth);
        QCOMPARE(polls, 128); // one a MiB
        QVERIFY_THROWS_EXCEPTION(core::Cancelled, [&] {
            for (;;)
                search.addFailedTry(begin, begin + text.size());
        }());
    }

    void recordsBehindMuchDamageAreFound_data()
    {
        QTest::addColumn<QByteArray>("start");
        QTest::addColumn<QByteArray>("unit");
        QTest::addColumn<QByteArray>("record");
        const QByteArray event(R"({"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":1,"pid":1},)");
        const QByteArray kineto(R"({"schemaVersion": 1, "traceEvents": [)" + event);
        const QByteArray node(R"({"id": 2, "name": "a", "ctrl_deps": 1},)");
        const QByteArray nodes(R"({"schema": "1.1.0-chakra.0.0.4", "pid": 1, "nodes": [)" + node);
        for (const QByteArray unit : { "{", "{\"a\":", "{\"a\":[" }) {
            QTest::addRow("events behind %s", unit.constData()) << kineto << unit << event;
            QTest::addRow("nodes behind %s", unit.constData()) << nodes << unit << node;
        }
    }
    /// 8 MiB of braces use up what the search may look at in full.
    void recordsBehindMuchDamageAreFound()
    {
        QFETCH(QByteArray, start);
        QFETCH(QByteArray, unit);
        QFETCH(QByteArray, record);
        constexpr std::size_t Size = 8 * 1024 * 1024;
        const std::string text
            = start.toStdString() + repeated(unit.toStdString(), Size) + record.toStdString();
        int records = 0;
        for (const auto &importer : core::importers()) {
            if (!importer->recognizes("rank0.json",
                                      std::string_view(text).substr(0, core::Importer::HeadSize)))
                continue;
            MemoryEntry entry(text);
            RecordingSink sink;
            importer->read(entry, sink, {});
            for (const auto &[category, count] : sink.counts())
                records += static_cast<int>(count);
            break;
        }
        QCOMPARE(records, 2); // the one before and the one behind
    }

    void everyImporterEnds_data()
    {
        QTest::addColumn<QByteArray>("start");
        QTest::addColumn<QByteArray>("unit");
        QTest::addColumn<QByteArray>("name");
        const std::array starts = {
            QByteArray(R"({"schemaVersion": 1, "traceEvents": [)"),
            QByteArray(R"({"schema": "1.1.0-chakra.0.0.4", "pid": 1, "nodes": [)"
                       R"({"id": 2, "name": "a", "ctrl_deps": 1},)"),
            QByteArray(R"({"workload_graph": [{"NodeType": 1}, )"),
            QByteArray(R"([{"name": "x", "cat": "COLL", "ph": "b"},)"),
            QByteArray("{\"type\":\"ProfilerLifecycle\"}\n"),
        };
        for (const QByteArray &start : starts) {
            for (const QByteArray unit : { "{", "\"", "{\"ph\":", "{\"ph\":\"X\"},{\"a\":[", "[",
                                           "]", "{\"a\":1111111111111111,\"b\":", "\\" })
                QTest::addRow("%s... %s", start.left(12).constData(), unit.constData())
                    << start << unit << QByteArray("rank0.json");
        }
    }
    /// Quadratic time would take many minutes, and so run into the test's timeout.
    void everyImporterEnds()
    {
        QFETCH(QByteArray, start);
        QFETCH(QByteArray, unit);
        QFETCH(QByteArray, name);
        constexpr std::size_t Size = 1024 * 1024;
        const std::string text = start.toStdString() + repeated(unit.toStdString(), Size);
        bool isRecognized = false;
        for (const auto &importer : core::importers()) {
            if (!importer->recognizes(name.toStdString(),
                                      std::string_view(text).substr(0, core::Importer::HeadSize)))
                continue;
            isRecognized = true;
            MemoryEntry entry(text);
            RecordingSink sink;
            try {
                importer->read(entry, sink, {});
                QVERIFY(sink.diagnostics().hasSkippedInput());
            } catch (const core::Error &) {
                // nothing usable in it, which is said
            }
        }
        QVERIFY2(isRecognized, "the row tests no importer");
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(HostileJsonTest)
#include "tst_hostile_json.moc"
