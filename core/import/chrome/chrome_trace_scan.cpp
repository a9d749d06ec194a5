#include "core/import/chrome/chrome_trace_scan.h"

#include "core/base/error.h"
#include "core/import/text/damage_search.h"

#include <algorithm>
#include <string>

namespace core {

namespace {

    constexpr std::string_view EventsKey = "\"traceEvents\"";

    /// One run over one file: the keys of its outermost object, in any order.
    class TraceScan
    {
    public:
        TraceScan(JsonWindow &window, Diagnostics &diagnostics, ChromeTraceConsumer &consumer,
                  const std::string &file)
            : m_file(file)
            , m_diagnostics(diagnostics)
            , m_consumer(consumer)
            , m_window(window)
            , m_events(window, consumer, diagnostics, file)
        {
        }

        void run()
        {
            m_window.skipByteOrderMark();
            const char first = m_window.peek();
            if (first == '[')
                readList();
            else if (first == ',' || m_events.isAtEvent())
                readPiece();
            else if (first == '{')
                readObject();
            else
                fail(m_window.cursor() == m_window.end()
                         ? "the file is empty. Record again, or leave it out"
                         : "the file is no JSON. Name the trace that the profiler exported");
            if (!m_hasEvents)
                fail("the file has no list of events (traceEvents): it is no trace, or was cut "
                     "before its events. Record again");
            m_events.finish();
        }

    private:
        [[noreturn]] void fail(const std::string &message) const
        {
            throw Error(message, { m_file, m_window.offset() });
        }

        void readList()
        {
            readEvents(true);
            while (m_window.peek() != '\0' || m_window.cursor() != m_window.end()) {
                if (!skipToEvents())
                    return;
            }
        }

        /// What follows the list, if it ends here, are members of the object that began elsewhere.
        void readPiece()
        {
            m_consumer.beginEvents();
            m_hasEvents = true;
            m_events.readPiece();
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
                return readEvents(false);
            m_window.peek();
            if (!m_window.takeValue(text))
                return false;
            m_consumer.addMember(key, text, m_window.offset());
            return true;
        }

        bool readEvents(bool isWholeFile)
        {
            if (!m_hasEvents)
                m_consumer.beginEvents();
            m_hasEvents = true;
            return m_events.read(isWholeFile);
        }

        /// The text makes no sense at the cursor. Goes on at the list of events, or in it if it
        /// seemed to end before.
        bool skipToEvents()
        {
            const std::uint64_t damage = m_window.offset();
            if (m_hasEvents) {
                if (m_events.resume())
                    return true;
                report(
                    "damaged-tail", damage,
                    "what follows the events is damaged and was not read: it may have named the "
                    "rank. If another one was taken, give it with longpole import --rank FILE=N");
                return false;
            }
            if (++m_listTries > DamageSearch::MaximumListTries || !findEvents())
                return false;
            report("damaged-header", damage,
                   "what comes before the events is damaged and was not read: it may have named "
                   "the rank and the time base. If another rank was taken, give it with longpole "
                   "import --rank FILE=N; for the times copy or record again");
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
            if (!isClosed && m_hasEvents && m_events.isClosed() && !m_window.isCut())
                m_diagnostics.count(
                    "truncated-file", Severity::Warning, { m_file, m_window.offset() },
                    "the file ends before its outermost object is closed. Everything that is in "
                    "the file was read");
        }

        void report(std::string_view code, std::uint64_t offset, std::string_view message)
        {
            m_diagnostics.count(code, Severity::Error, { m_file, offset }, message);
        }

        std::string m_file;
        Diagnostics &m_diagnostics;
        ChromeTraceConsumer &m_consumer;
        JsonWindow &m_window;
        ChromeEventList m_events;
        bool m_hasEvents = false;
        int m_listTries = 0;
    };

} // namespace

void scanChromeTrace(JsonWindow &window, Diagnostics &diagnostics, ChromeTraceConsumer &consumer,
                     const std::string &file)
{
    TraceScan(window, diagnostics, consumer, file).run();
}

} // namespace core
