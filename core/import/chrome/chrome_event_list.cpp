#include "core/import/chrome/chrome_event_list.h"

namespace core {

namespace {

    constexpr const char *TooLarge = "a single event is larger than 64 MiB";
    constexpr const char *NotJson
        = "the text is no JSON here (an unescaped quote in a name, a lost "
          "or overwritten part of the file, or brackets in more than 64 others)";

} // namespace

ChromeEventList::ChromeEventList(JsonWindow &window, ChromeEventConsumer &consumer,
                                 Diagnostics &diagnostics, std::string file)
    : m_window(window)
    , m_consumer(consumer)
    , m_diagnostics(diagnostics)
    , m_file(std::move(file))
    , m_search(window.control())
{
}

bool ChromeEventList::read(bool isWholeFile)
{
    m_isWholeFile = isWholeFile;
    m_window.moveTo(m_window.cursor() + 1);
    return readToEnd();
}

bool ChromeEventList::isAtEvent()
{
    if (m_window.peek() != '{')
        return false;
    ChromeEventScanner scanner(m_window.cursor(), m_window.end());
    return scanner.scan(m_event) == ScanResult::Done && m_event.phase != '\0';
}

bool ChromeEventList::readPiece()
{
    m_diagnostics.count(
        "piece-of-trace", Severity::Warning, { m_file, m_window.offset() },
        "the file begins inside of a list of events: it is a piece of a trace that its program "
        "wrote in several (MXNet: profiler.dump() called several times). Everything that is in the "
        "file was read; names of rows may be in another piece");
    m_isWholeFile = true;
    return readToEnd();
}

bool ChromeEventList::resume()
{
    const std::uint64_t begin = m_window.offset();
    while (findEventOrEnd()) {
        if (*m_window.cursor() == '{') {
            noteDamage(NotJson);
            m_firstDamage = m_damageCount == 1 ? begin : m_firstDamage;
            m_damageBytes += m_window.offset() - begin;
            readToEnd();
            return true;
        }
        m_window.moveTo(m_window.cursor() + 1);
    }
    return false;
}

bool ChromeEventList::readToEnd()
{
    bool isOpen = true;
    m_isClosed = false;
    while (isOpen && !m_isClosed) {
        const char next = m_window.peek();
        if (next == '{') {
            isOpen = readEvent();
        } else if (next == ',') {
            m_window.moveTo(m_window.cursor() + 1);
        } else if (next == ']') {
            m_window.moveTo(m_window.cursor() + 1);
            m_isClosed = true;
        } else if (m_window.cursor() == m_window.end()) {
            endBetweenEvents(m_isWholeFile ? Severity::Info : Severity::Warning);
            isOpen = false;
        } else {
            isOpen = readOther();
        }
    }
    return m_isClosed;
}

/// False if the file ends inside the event.
bool ChromeEventList::readEvent()
{
    for (;;) {
        const char *begin = m_window.cursor();
        ChromeEventScanner scanner(begin, m_window.end());
        const ScanResult result = scanner.scan(m_event);
        if (result == ScanResult::Done) {
            const auto size = static_cast<std::size_t>(scanner.position() - begin);
            noteCutText(m_window.offsetOf(begin));
            m_consumer.addEvent(m_event, { begin, size }, m_window.offsetOf(begin));
            m_window.moveTo(scanner.position());
            return true;
        }
        if (result == ScanResult::Malformed)
            return skipDamage(scanner.position(), NotJson);
        if (!m_window.readMore())
            return m_window.isFull() ? skipDamage(m_window.end(), TooLarge) : endInsideEvent();
    }
}

void ChromeEventList::noteCutText(std::uint64_t offset)
{
    if (m_event.hasCutText)
        m_diagnostics.count(
            "text-cut", Severity::Warning, { m_file, offset },
            "names of processes, threads, process groups or collectives that are longer than "
                + std::to_string(MaximumKeptTextBytes)
                + " bytes were cut there, so that two of them may be taken for one. No profiler "
                  "writes such names: the file is damaged, record again");
}

bool ChromeEventList::readOther()
{
    // A nested list would be every event that follows, and a word no JSON: both are damage.
    constexpr std::string_view Starts = "\"-0123456789tfnNI";
    const std::uint64_t offset = m_window.offset();
    std::string_view text;
    if (Starts.find(*m_window.cursor()) == std::string_view::npos || !m_window.takeValue(text))
        return skipDamage(m_window.cursor() + 1, NotJson);
    m_consumer.addOther(offset);
    return true;
}

/// Moves on to the next event or to the end of the list; the search starts at `from`, which lies in
/// the window.
bool ChromeEventList::skipDamage(const char *from, const char *cause)
{
    const std::uint64_t begin = m_window.offset();
    noteDamage(cause);
    m_window.moveTo(from);
    const bool isFound = findEventOrEnd();
    m_damageBytes += m_window.offset() - begin;
    if (!isFound)
        endBetweenEvents(Severity::Warning);
    return isFound;
}

void ChromeEventList::noteDamage(const char *cause)
{
    if (m_damageCount++ == 0) {
        m_firstDamage = m_window.offset();
        m_firstCause = cause;
    }
}

bool ChromeEventList::findEventOrEnd()
{
    char previous = '\0'; // last byte that is no space
    for (;;) {
        const char *p = m_window.cursor();
        for (; p < m_window.end() && *p != '{' && *p != ']'; ++p)
            previous = json::isSpace(*p) ? previous : *p;
        m_window.moveTo(p);
        if (p == m_window.end()) {
            if (!m_window.readMore())
                return false;
            continue;
        }
        if (*p == ']') {
            if (isEndOfList(previous))
                return true;
        } else {
            const ScanResult result = tryEvent();
            if (result == ScanResult::Done)
                return true;
            if (result == ScanResult::Incomplete && m_window.readMore())
                continue;
        }
        previous = *m_window.cursor();
        m_window.moveTo(m_window.cursor() + 1);
    }
}

/// Done: a whole event with a phase stands at the cursor. Incomplete: the window ends too early to
/// tell.
ScanResult ChromeEventList::tryEvent()
{
    const char *begin = m_window.cursor();
    const bool isInReach = m_window.end() - begin <= m_search.reach();
    ChromeEventScanner scanner(begin, isInReach ? m_window.end() : begin + m_search.reach(),
                               m_search.depth());
    const ScanResult result = scanner.scan(m_event);
    if (result == ScanResult::Done && m_event.phase != '\0')
        return result;
    m_search.addFailedTry(begin, scanner.lookedTo());
    return result == ScanResult::Incomplete && isInReach ? result : ScanResult::Malformed;
}

/// Whether the bracket at the cursor closes the list of events: before it an event ended, and what
/// follows is the end of the file or of the object, or the next key.
bool ChromeEventList::isEndOfList(char previous)
{
    constexpr std::ptrdiff_t LookAhead = 64;
    if (previous != '}')
        return false;
    if (m_window.end() - m_window.cursor() < LookAhead)
        m_window.readMore();
    const char *next = json::skipSpace(m_window.cursor() + 1);
    if (next >= m_window.end())
        return true;
    if (*next == '}')
        return *json::skipSpace(next + 1) == '\0';
    return *next == ',' && *json::skipSpace(next + 1) == '"';
}

bool ChromeEventList::endInsideEvent()
{
    const auto lost = static_cast<std::uint64_t>(m_window.end() - m_window.cursor());
    m_diagnostics.count("truncated-file", Severity::Error, { m_file, m_window.offset() },
                        "the file ends inside an event (" + std::to_string(lost)
                            + " bytes of it were left out): the program or the copy was stopped "
                              "while writing. Everything before was read; record or copy again, "
                              "and import into a new project, to have the rest");
    m_window.moveTo(m_window.end());
    return false;
}

void ChromeEventList::endBetweenEvents(Severity severity)
{
    if (m_window.isCut()) // not everything was read
        return;
    m_diagnostics.count("truncated-file", severity, { m_file, m_window.offset() },
                        "the list of events is not closed: the program may have been stopped while "
                        "writing. Everything that is in the file was read");
}

void ChromeEventList::finish()
{
    if (m_damageCount == 0)
        return;
    m_diagnostics.add(
        { "damaged-event", Severity::Error, m_damageCount, m_file, m_firstDamage,
          "damaged places, " + std::to_string(m_damageBytes)
              + " bytes in all, were left out; reading went on at the next whole "
                "event. The first: "
              + m_firstCause
              + ". Record again (torch.profiler: with_stack=False), or repair the file there" });
}

} // namespace core
