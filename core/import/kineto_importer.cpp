#include "core/import/kineto_importer.h"

#include "core/base/error.h"
#include "core/import/clean_text.h"
#include "core/import/decimal_time.h"
#include "core/import/json_window.h"
#include "core/import/kineto_categories.h"
#include "core/import/kineto_clock.h"
#include "core/import/kineto_event_list.h"
#include "core/import/kineto_translator.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace core {

namespace {

    constexpr std::string_view EventsKey = "\"traceEvents\"";
    constexpr std::string_view ByteOrderMark = "\xEF\xBB\xBF";

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

    /// One run over one file: the keys of its outermost object, in any order.
    class KinetoReader
    {
    public:
        KinetoReader(BundleEntry &entry, TraceSink &sink, const JobControl &control)
            : m_file(entry.name())
            , m_sink(sink)
            , m_window(entry, sink.diagnostics(), control)
            , m_clock(entry, sink.diagnostics())
        {
        }

        void read()
        {
            skipByteOrderMark();
            const char first = m_window.peek();
            if (first == '[')
                readList();
            else if (first == '{')
                readObject();
            else
                fail(m_window.cursor() == m_window.end()
                         ? "the file is empty. Record again, or leave it out"
                         : "the file is no JSON. Name the trace that torch.profiler exported");
            if (!m_translator)
                fail("the file has no list of events (traceEvents): it is no trace, or was cut "
                     "before its events. Record again");
            m_events->finish();
            m_translator->finish(m_info);
        }

    private:
        [[noreturn]] void fail(const std::string &message) const
        {
            throw Error(message, { m_file, m_window.offset() });
        }

        void skipByteOrderMark()
        {
            m_window.peek();
            const std::string_view start(
                m_window.cursor(), static_cast<std::size_t>(m_window.end() - m_window.cursor()));
            if (start.starts_with(ByteOrderMark))
                m_window.moveTo(m_window.cursor() + ByteOrderMark.size());
        }

        void readList()
        {
            readEvents();
            while (m_window.peek() != '\0' || m_window.cursor() != m_window.end()) {
                if (!skipToEvents())
                    return;
            }
        }

        void readObject()
        {
            m_window.moveTo(m_window.cursor() + 1);
            bool isClosed = false;
            for (;;) {
                const char next = m_window.peek();
                if (m_window.cursor() == m_window.end()) {
                    noteEnd(isClosed);
                    return;
                }
                if (next == '}' && !isClosed) {
                    isClosed = true;
                    m_window.moveTo(m_window.cursor() + 1);
                } else if (next == ',' && !isClosed) {
                    m_window.moveTo(m_window.cursor() + 1);
                } else if (next != '"' || isClosed || !readMember()) {
                    isClosed = false;
                    if (m_window.cursor() != m_window.end() && !skipToEvents())
                        return;
                }
            }
        }

        /// `"key": value`; false where that is damaged or the file ends.
        bool readMember()
        {
            std::string_view text;
            if (!m_window.takeValue(text))
                return false;
            const std::string key(text.substr(1, text.size() - 2));
            if (m_window.peek() != ':')
                return false;
            m_window.moveTo(m_window.cursor() + 1);
            if (key == "traceEvents" && m_window.peek() == '[')
                return readEvents();
            m_window.peek();
            if (!m_window.takeValue(text))
                return false;
            noteMember(key, text);
            return true;
        }

        bool readEvents()
        {
            if (!m_translator) {
                m_translator.emplace(m_sink, m_clock, m_file);
                m_events.emplace(m_window, *m_translator, m_sink.diagnostics(), m_file);
            }
            return m_events->read();
        }

        void noteMember(const std::string &key, std::string_view value)
        {
            if (key == "distributedInfo") {
                noteDistributedInfo(value);
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

        void noteDistributedInfo(std::string_view value)
        {
            const auto info = nlohmann::json::parse(cleanJson(value), nullptr, false);
            if (!info.is_object()) {
                m_sink.diagnostics().count(
                    "bad-distributed-info", Severity::Warning, { m_file, m_window.offset() },
                    "distributedInfo makes no sense and was ignored: the rank is taken from the "
                    "file's name or must be given");
                return;
            }
            m_info.rank = smallNumber(info, "rank");
            m_info.worldSize = smallNumber(info, "world_size");
        }

        /// The text makes no sense at the cursor. Goes on at the list of events, or in it if it
        /// seemed to end before.
        bool skipToEvents()
        {
            const std::uint64_t damage = m_window.offset();
            if (m_translator) {
                if (m_events->resume())
                    return true;
                report("damaged-tail", damage,
                       "what follows the events is damaged and was not read: it may have named the "
                       "rank");
                return false;
            }
            if (!findEvents())
                return false;
            report("damaged-header", damage,
                   "what comes before the events is damaged and was not read: it may have named "
                   "the rank and the time base");
            return true;
        }

        bool findEvents()
        {
            if (m_window.cursor() < m_window.end())
                m_window.moveTo(m_window.cursor() + 1); // that key was tried
            for (;;) {
                const std::string_view text(
                    m_window.cursor(),
                    static_cast<std::size_t>(m_window.end() - m_window.cursor()));
                const std::size_t at = text.find(EventsKey);
                if (at != std::string_view::npos) {
                    m_window.moveTo(m_window.cursor() + at);
                    return true;
                }
                m_window.moveTo(m_window.end()
                                - std::min<std::ptrdiff_t>(EventsKey.size(),
                                                           m_window.end() - m_window.cursor()));
                if (!m_window.readMore())
                    return false;
            }
        }

        void noteEnd(bool isClosed)
        {
            if (!isClosed && m_translator && m_events->isClosed())
                m_sink.diagnostics().count(
                    "truncated-file", Severity::Warning, { m_file, m_window.offset() },
                    "the file ends before its outermost object is closed. Everything that is in "
                    "the file was read");
        }

        void report(std::string_view code, std::uint64_t offset, std::string_view message)
        {
            m_sink.diagnostics().count(code, Severity::Error, { m_file, offset }, message);
        }

        std::string m_file;
        TraceSink &m_sink;
        JsonWindow m_window;
        KinetoClock m_clock;
        std::optional<KinetoTranslator> m_translator; ///< from the list of events on
        std::optional<KinetoEventList> m_events; ///< as m_translator
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
    KinetoReader(entry, sink, control).read();
}

} // namespace core
