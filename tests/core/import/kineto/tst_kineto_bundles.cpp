#include "core/base/error.h"
#include "core/bundle/bundle.h"
#include "core/import/importer.h"
#include "core/import/unknown_format.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace {

std::string readAll(core::BundleEntry &entry)
{
    std::string all;
    std::vector<char> block(1 << 20);
    while (const std::size_t count = entry.read(block))
        all.append(block.data(), count);
    return all;
}

/// What the file's list of events holds, counted by another parser (nlohmann): walks the text and
/// looks at the members of the objects in the outermost object's traceEvents.
class Expected : public nlohmann::json::json_sax_t
{
public:
    explicit Expected(const std::string &text) { nlohmann::json::sax_parse(text, this); }

    bool isEventList = false;
    std::map<std::string, std::uint64_t> byCategory;
    std::uint64_t completeEvents = 0;
    std::uint64_t memoryEvents = 0;
    std::int64_t memoryBytes = 0; ///< allocated less released

    bool start_object(std::size_t) override
    {
        if (m_inEvents && m_depth == 2) {
            m_category = m_phase = "none";
            m_name.clear();
            m_bytes = 0;
        }
        ++m_depth;
        return true;
    }
    bool end_object() override
    {
        --m_depth;
        if (m_inEvents && m_depth == 2) {
            ++byCategory[m_category];
            completeEvents += m_phase == "X" ? 1 : 0;
            const bool isMemory = m_phase == "i" && m_name == "[memory]";
            memoryEvents += isMemory ? 1 : 0;
            memoryBytes += isMemory ? m_bytes : 0;
        }
        return true;
    }
    bool start_array(std::size_t) override
    {
        if (m_depth++ == 1 && m_key == "traceEvents")
            m_inEvents = isEventList = true;
        return true;
    }
    bool end_array() override
    {
        m_inEvents = --m_depth > 1 && m_inEvents;
        return true;
    }
    bool key(std::string &name) override
    {
        m_key = name;
        return true;
    }
    bool string(std::string &value) override
    {
        if (m_inEvents && m_depth == 3 && m_key == "cat")
            m_category = value;
        if (m_inEvents && m_depth == 3 && m_key == "ph")
            m_phase = value;
        if (m_inEvents && m_depth == 3 && m_key == "name")
            m_name = value;
        return true;
    }
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t value) override
    {
        if (m_inEvents && m_depth == 4 && m_key == "Bytes")
            m_bytes = value;
        return true;
    }
    bool number_unsigned(std::uint64_t value) override
    {
        return number_integer(static_cast<std::int64_t>(value));
    }
    bool number_float(double, const std::string &) override { return true; }
    bool binary(nlohmann::json::binary_t &) override { return true; }
    bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &) override
    {
        return false;
    }

private:
    int m_depth = 0;
    bool m_inEvents = false;
    std::int64_t m_bytes = 0;
    std::string m_key, m_category, m_phase, m_name;
};

/// The same of what the importer gave.
std::pair<std::uint64_t, std::int64_t> memoryOf(const tests::RecordingSink &sink)
{
    std::pair<std::uint64_t, std::int64_t> all;
    for (const std::string &note : sink.notes()) {
        if (!note.starts_with("memory "))
            continue;
        ++all.first;
        all.second += std::stoll(note.substr(note.find(' ', 7) + 1));
    }
    return all;
}

} // namespace

class KinetoBundlesTest : public QObject
{
    Q_OBJECT

private:
    const core::Importer &m_importer = *core::importers().front();

    void compareWithAnotherParser(const core::Bundle &bundle, std::size_t index)
    {
        const std::string text = readAll(*bundle.open(index));
        const auto entry = bundle.open(index);
        const std::string &name = entry->name();
        const Expected expected(text);
        const std::string_view head = std::string_view(text).substr(0, core::Importer::HeadSize);
        const bool isRecognized = m_importer.recognizes(name, head);
        const bool isKineto = name.find("/byteps/") == std::string::npos
            && name.find("/tensorflow-timeline/") == std::string::npos
            && name.find("/xprof/") == std::string::npos;
        QVERIFY2(isRecognized == (expected.isEventList && isKineto), name.c_str());
        if (!isRecognized) {
            QVERIFY(!core::describeUnknown(name, head).message.empty());
            return;
        }
        tests::RecordingSink sink;
        m_importer.read(*entry, sink, {});
        QVERIFY2(sink.counts() == expected.byCategory, name.c_str());
        QVERIFY2(sink.sliceCount() == expected.completeEvents,
                 (name + "\n" + sink.diagnosticsText()).c_str());
        QVERIFY2(memoryOf(sink) == std::pair(expected.memoryEvents, expected.memoryBytes),
                 name.c_str());
        QVERIFY2(!sink.diagnostics().hasSkippedInput(), sink.diagnosticsText().c_str());
    }

private slots:
    void everySharedTraceIsReadAsAnotherParserReadsIt_data()
    {
        QTest::addColumn<QString>("folder");
        const auto shared = tests::sharedData();
        if (!shared)
            return;
        for (const char *set : { "real", "testbed" }) {
            for (const auto &folder : std::filesystem::directory_iterator(*shared / "data" / set)) {
                if (folder.is_directory())
                    QTest::newRow(folder.path().filename().c_str())
                        << QString::fromStdString(folder.path().string());
            }
        }
    }
    void everySharedTraceIsReadAsAnotherParserReadsIt()
    {
        if (!tests::sharedData())
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(QString, folder);
        const auto bundle = core::openBundle({ folder.toStdString() });
        for (std::size_t i = 0; i < bundle->items().size(); ++i) {
            const std::string &name = bundle->items()[i].name;
            if (name.find("json") != std::string::npos)
                compareWithAnotherParser(*bundle, i);
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(KinetoBundlesTest)
#include "tst_kineto_bundles.moc"
