#include "core/import/kineto_importer.h"

#include "core/import/chrome_trace_reader.h"
#include "core/import/clean_text.h"
#include "core/import/decimal_time.h"
#include "core/import/kineto_categories.h"
#include "core/import/kineto_clock.h"
#include "core/import/kineto_translator.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace core {

namespace {

    constexpr std::string_view EventsKey = "\"traceEvents\"";

    std::optional<int> smallNumber(const nlohmann::json &object, const char *key)
    {
        const auto found = object.find(key);
        if (found == object.end())
            return std::nullopt;
        const std::optional<std::int64_t> number = found->is_string()
            ? integerFrom(found->get_ref<const std::string &>())
            : found->is_number_integer() ? std::optional(found->get<std::int64_t>())
                                         : std::nullopt;
        if (!number || *number < 0 || *number > std::numeric_limits<int>::max())
            return std::nullopt;
        return static_cast<int>(*number);
    }

    /// Keeps what stands around the events until they are all read.
    class KinetoReader : public ChromeTraceConsumer
    {
    public:
        KinetoReader(BundleEntry &entry, TraceSink &sink)
            : m_file(entry.name())
            , m_sink(sink)
            , m_clock(entry, sink.diagnostics())
        {
        }

        void beginEvents() override { m_translator.emplace(m_sink, m_clock, m_file); }
        void addEvent(const ChromeEvent &event, std::string_view text,
                      std::uint64_t offset) override
        {
            m_translator->addEvent(event, text, offset);
        }
        void addOther(std::uint64_t offset) override { m_translator->addOther(offset); }

        void addMember(std::string_view key, std::string_view value, std::uint64_t offset) override
        {
            if (key == "distributedInfo") {
                noteDistributedInfo(value, offset);
            } else if (key == "baseTimeNanoseconds") {
                const bool isQuoted = value.size() > 2 && value.front() == '"';
                if (isQuoted)
                    value = value.substr(1, value.size() - 2);
                if (const auto baseNs = integerFrom(value))
                    m_clock.noteBase(*baseNs);
            } else if (key == "host_name" && value.size() > 2 && value.front() == '"') {
                m_info.host = cleanString(value.substr(1, value.size() - 2));
            }
        }

        void finish() { m_translator->finish(m_info); }

    private:
        void noteDistributedInfo(std::string_view value, std::uint64_t offset)
        {
            const auto info = nlohmann::json::parse(cleanJson(value), nullptr, false);
            if (!info.is_object()) {
                m_sink.diagnostics().count(
                    "bad-distributed-info", Severity::Warning, { m_file, offset },
                    "distributedInfo makes no sense and was ignored: the rank is taken from the "
                    "file's name or must be given");
                return;
            }
            m_info.rank = smallNumber(info, "rank");
            m_info.worldSize = smallNumber(info, "world_size");
        }

        std::string m_file;
        TraceSink &m_sink;
        KinetoClock m_clock;
        std::optional<KinetoTranslator> m_translator; ///< from the list of events on
        WorkerInfo m_info;
    };

} // namespace

bool KinetoImporter::recognizes(std::string_view, std::string_view head) const
{
    const std::size_t start = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (start == std::string_view::npos || (head[start] != '{' && head[start] != '['))
        return false;
    if (head[start] == '[')
        return mentionsKinetoCategory(head);
    constexpr std::array Keys
        = { std::string_view("\"schemaVersion\""), std::string_view("\"deviceProperties\""),
            std::string_view("\"distributedInfo\""), std::string_view("\"baseTimeNanoseconds\""),
            EventsKey };
    const auto found = std::count_if(Keys.begin(), Keys.end(), [head](std::string_view key) {
        return head.find(key) != std::string_view::npos;
    });
    return found >= 2
        || (head.find(EventsKey) != std::string_view::npos && mentionsKinetoCategory(head));
}

void KinetoImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    KinetoReader reader(entry, sink);
    readChromeTrace(entry, sink.diagnostics(), reader, control);
    reader.finish();
}

} // namespace core
