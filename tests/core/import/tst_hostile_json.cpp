#include "core/base/error.h"
#include "core/import/importer.h"
#include "core/import/json_scan.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QElapsedTimer>
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

    void everyImporterEndsInTime_data()
    {
        QTest::addColumn<QByteArray>("start");
        QTest::addColumn<QByteArray>("unit");
        QTest::addColumn<QByteArray>("name");
        const std::array starts = {
            QByteArray(R"({"schemaVersion": 1, "traceEvents": [)"),
            QByteArray(R"({"schema": "1.1.0-chakra.0.0.4", "pid": 1, "nodes": [)"),
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
    /// Quadratic time would be many minutes; the bound is generous for slow machines.
    void everyImporterEndsInTime()
    {
        QFETCH(QByteArray, start);
        QFETCH(QByteArray, unit);
        QFETCH(QByteArray, name);
        constexpr std::size_t Size = 1024 * 1024;
        const std::string text = start.toStdString() + repeated(unit.toStdString(), Size);
        QElapsedTimer timer;
        timer.start();
        for (const auto &importer : core::importers()) {
            if (!importer->recognizes(name.toStdString(),
                                      std::string_view(text).substr(0, core::Importer::HeadSize)))
                continue;
            MemoryEntry entry(text);
            RecordingSink sink;
            try {
                importer->read(entry, sink, {});
                QVERIFY(sink.diagnostics().hasSkippedInput());
            } catch (const core::Error &) {
                // nothing usable in it, which is said
            }
        }
        QVERIFY2(timer.elapsed() < 60'000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_GUILESS_MAIN(HostileJsonTest)
#include "tst_hostile_json.moc"
