#include "core/import/chrome/chrome_event.h"

#include "core/import/text/decimal_time.h"

#include <algorithm>

namespace core {

using namespace json;

namespace {

    bool isDigit(char c)
    {
        return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0' <= 9;
    }

} // namespace

ScanResult ChromeEventScanner::scan(ChromeEvent &event)
{
    event = {};
    m_hasCutText = m_hasQuotedNumber = m_hasLargeNumber = false;
    m_seen = 0;
    const bool isDone
        = readMembers([this, &event](std::string_view key) { return readEventMember(key, event); });
    if (event.phase == 'M')
        cutKeptText(event.args.name);
    event.hasCutText = m_hasCutText;
    event.hasQuotedNumber = m_hasQuotedNumber;
    event.hasLargeNumber = m_hasLargeNumber;
    if (isDone)
        return ScanResult::Done;
    return m_position >= m_end ? ScanResult::Incomplete : ScanResult::Malformed;
}

inline bool ChromeEventScanner::readKey(std::string_view &key)
{
    const char *begin = m_position + 1;
    const char *quote = findNearStringEnd(begin); // the padding holds no quote
    if (quote == nullptr)
        return readString(key);
    key = { begin, static_cast<std::size_t>(quote - begin) };
    m_position = quote + 1;
    return true;
}

/// Reads `{"key": value, ...}`; readMember consumes the value. False where the text makes no sense
/// or ends.
template <class ReadMember>
bool ChromeEventScanner::readMembers(ReadMember &&readMember)
{
    ++m_position;
    bool isBehindComma = false;
    for (;;) {
        m_position = skipSpace(m_position);
        if (*m_position == '}') {
            m_flags |= isBehindComma ? HasOddScalar : 0U;
            break;
        }
        std::string_view key;
        if (*m_position != '"' || !readKey(key))
            return false;
        m_position = skipSpace(m_position);
        if (*m_position != ':')
            return false;
        m_position = skipSpace(m_position + 1);
        if (!readMember(key))
            return false;
        m_position = skipSpace(m_position);
        if (*m_position == '}')
            break;
        if (*m_position != ',')
            return false;
        ++m_position;
        isBehindComma = true;
    }
    ++m_position;
    return true;
}

bool ChromeEventScanner::isMember(std::string_view key, std::string_view name, std::uint32_t bit,
                                  ChromeEvent &event)
{
    if (key != name)
        return false;
    event.hasRepeatedMember = event.hasRepeatedMember || (m_seen & bit) != 0;
    m_seen |= bit;
    return true;
}

bool ChromeEventScanner::readEventMember(std::string_view key, ChromeEvent &event)
{
    if (isMember(key, "ph", 1U, event)) {
        std::string_view phase;
        if (!readValue(phase))
            return false;
        event.phase = phase.size() == 1 ? phase[0] : '?';
        return true;
    }
    if (isMember(key, "cat", 2U, event)) {
        event.hasCategory = true;
        return readValue(event.category);
    }
    if (isMember(key, "name", 4U, event)) {
        m_flags = 0;
        const bool isRead = readValue(event.name);
        event.nameFlags = m_flags;
        return isRead;
    }
    if (isMember(key, "ts", 8U, event))
        return readTime(event.timestamp);
    if (isMember(key, "dur", 16U, event))
        return readTime(event.duration);
    if (isMember(key, "pid", 32U, event))
        return readKeptText(event.pid);
    if (isMember(key, "tid", 64U, event))
        return readKeptText(event.tid);
    if (isMember(key, "args", 128U, event))
        return readArgs(event);
    return skip();
}

bool ChromeEventScanner::readTime(std::string_view &text)
{
    m_hasQuotedNumber = m_hasQuotedNumber || *m_position == '"';
    return readValue(text);
}

bool ChromeEventScanner::readArgs(ChromeEvent &event)
{
    if (*m_position != '{')
        return skip();
    const char *begin = m_position;
    m_flags = 0;
    if (!readMembers([this, &event](std::string_view key) { return readArg(key, event.args); }))
        return false;
    event.argsText = { begin, static_cast<std::size_t>(m_position - begin) };
    event.argsFlags = m_flags;
    return true;
}

bool ChromeEventScanner::readArg(std::string_view key, ChromeArgs &args)
{
    switch (key.size()) {
    case 4:
        return key == "name" ? readValue(args.name) : skip();
    case 5:
        if (key == "bytes")
            return readInteger(args.bytes);
        return key == "dtype" ? readValue(args.dtype) : skip();
    case 6:
        if (key == "stream")
            return readInteger(args.stream);
        return key == "device" ? readInteger(args.device) : skip();
    case 10:
        if (key == "Input Dims")
            return readValue(args.inputDims);
        if (key == "Input type")
            return readValue(args.inputTypes);
        return readCollectiveArg(key, args);
    case 11:
        if (key == "External id" || key == "external id")
            return readInteger(args.externalId);
        return key == "correlation" ? readInteger(args.correlation) : skip();
    case 13:
        if (key == "Fwd thread id")
            return readInteger(args.forwardThread);
        return readCollectiveArg(key, args);
    case 15: {
        if (key != "Sequence number")
            return readCollectiveArg(key, args);
        std::optional<std::int64_t> number;
        if (!readInteger(number))
            return false;
        args.sequence = number && *number >= 0 ? static_cast<std::uint64_t>(*number) + 1 : 0;
        return true;
    }
    case 14:
        return key == "wait_on_stream" ? readInteger(args.waitOnStream) : skip();
    case 33:
        return key == "wait_on_cuda_event_record_corr_id" ? readInteger(args.waitOnCorrelation)
                                                          : skip();
    case 18:
        if (key == "Record function id")
            return readInteger(args.recordFunction);
        return readCollectiveArg(key, args);
    case 3:
        return readCollectiveArg(key, args);
    default:
        return skip();
    }
}

bool ChromeEventScanner::readCollectiveArg(std::string_view key, ChromeArgs &args)
{
    if (key == "Collective name")
        return readKeptText(args.collectiveName);
    if (key == "Process Group Name")
        return readKeptText(args.processGroup);
    if (key == "Seq")
        return readInteger(args.collectiveSequence);
    if (key == "Group size")
        return readInteger(args.groupSize);
    if (key == "In msg nelems")
        return readInteger(args.inElements);
    return skip();
}

bool ChromeEventScanner::readString(std::string_view &text)
{
    const char *begin = m_position + 1;
    const char *quote = findStringEnd(begin, m_end, m_flags);
    if (quote >= m_end) {
        m_position = m_end;
        return false;
    }
    text = { begin, static_cast<std::size_t>(quote - begin) };
    m_position = quote + 1;
    return true;
}

bool ChromeEventScanner::readValue(std::string_view &text)
{
    if (*m_position == '"')
        return readString(text);
    const char *begin = m_position;
    if (!skip())
        return false;
    text = { begin, static_cast<std::size_t>(m_position - begin) };
    return true;
}

/// A text of which a copy stays in memory.
bool ChromeEventScanner::readKeptText(std::string_view &text)
{
    const bool isRead = readValue(text);
    cutKeptText(text);
    return isRead;
}

void ChromeEventScanner::cutKeptText(std::string_view &text)
{
    m_hasCutText = m_hasCutText || text.size() > MaximumKeptTextBytes;
    text = text.substr(0, MaximumKeptTextBytes);
}

bool ChromeEventScanner::readInteger(std::optional<std::int64_t> &value)
{
    const bool isQuoted = *m_position == '"';
    std::string_view text;
    if (!readValue(text))
        return false;
    value = integerFrom(text);
    noteNumber(text, isQuoted, value.has_value());
    return true;
}

void ChromeEventScanner::noteNumber(std::string_view text, bool isQuoted, bool isRead)
{
    constexpr std::size_t LargestDigits = 19; // of a number that 63 bits hold
    if (isRead)
        m_hasQuotedNumber = m_hasQuotedNumber || isQuoted;
    else if (text.size() >= LargestDigits && (text[0] == '-' || isDigit(text[0]))
             && std::all_of(text.begin() + 1, text.end(), isDigit))
        m_hasLargeNumber = true;
}

/// Reads a number that is not negative; anything else leaves `value` as it is.
template <class Integer>
bool ChromeEventScanner::readInteger(Integer &value)
{
    // Plain digits are by far the usual case.
    const char *p = m_position;
    Integer number = 0;
    while (isDigit(*p) && p - m_position < 19)
        number = number * 10 + static_cast<Integer>(*p++ - '0');
    const bool isJson = p == m_position + 1 || *m_position != '0'; // no 007
    if (p > m_position && isJson && (*p == ',' || *p == '}' || isSpace(*p))) {
        m_position = p;
        value = number;
        return true;
    }
    const bool isQuoted = *m_position == '"';
    std::string_view text;
    if (!readValue(text))
        return false;
    const auto read = unsignedFrom(text);
    noteNumber(text, isQuoted, read.has_value());
    value = read.value_or(value);
    return true;
}

bool ChromeEventScanner::skip()
{
    const char *after = skipValue(m_position, m_end, m_flags, m_effort);
    if (after == nullptr)
        return false;
    m_position = after;
    return after < m_end;
}

} // namespace core
