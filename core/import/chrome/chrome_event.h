#pragma once

#include "core/import/text/json_scan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// What names a row, a process group or a collective is kept for the whole file: no more bytes of
/// it, as written, are read.
constexpr std::size_t MaximumKeptTextBytes = 4096;

/// The arguments of an event that anything is made of. 0 means none in the link fields.
struct ChromeArgs
{
    std::uint64_t correlation = 0;
    std::uint64_t externalId = 0;
    std::uint64_t recordFunction = 0;
    std::uint64_t forwardThread = 0;
    std::uint64_t bytes = 0;
    std::uint64_t sequence = 0; ///< autograd sequence number + 1
    std::optional<std::int64_t> stream, device;
    std::optional<std::int64_t> waitOnStream, waitOnCorrelation;
    std::optional<std::int64_t> groupSize, collectiveSequence, inElements;
    std::string_view collectiveName, processGroup, dtype;
    std::string_view inputDims, inputTypes; ///< JSON arrays
    std::string_view name; ///< of metadata events
};

/// One event as it stands in the file. Views point into the scanned text: strings without their
/// quotes (and still escaped), everything else as written.
struct ChromeEvent
{
    std::string_view name, category, timestamp, duration, pid, tid;
    std::string_view argsText; ///< with its braces; empty for none
    bool hasCategory = false;
    char phase = '\0'; ///< 0: the event has none
    std::uint32_t nameFlags = 0; ///< json::ScanFlag
    std::uint32_t argsFlags = 0;
    bool hasCutText = false; ///< a text was longer than MaximumKeptTextBytes
    bool hasRepeatedMember = false; ///< the last one counts
    bool hasQuotedNumber = false; ///< read as the number that it says
    bool hasLargeNumber = false; ///< beyond 64 bits, and so not known
    ChromeArgs args;
};

enum class ScanResult {
    Done,
    Incomplete, ///< the text ends before the event does
    Malformed,
};

/// Reads one event in one pass over its text, decoding only what ChromeEvent holds.
class ChromeEventScanner
{
public:
    /// [begin, end) starts with the event's opening brace and is padded as json_scan.h asks for.
    /// Values that nest deeper than `maximumDepth` make no sense.
    ChromeEventScanner(const char *begin, const char *end,
                       std::uint32_t maximumDepth = json::MaximumDepth)
        : m_position(begin)
        , m_end(end)
        , m_effort { maximumDepth, begin }
    {
    }

    ScanResult scan(ChromeEvent &event);
    /// After scan(): the byte after the event, or the byte that makes no sense.
    const char *position() const { return m_position; }
    /// After scan(): how far it looked; a value that makes no sense is looked into.
    const char *lookedTo() const { return std::max(m_position, m_effort.failedAt); }

private:
    template <class ReadMember>
    bool readMembers(ReadMember &&readMember);
    /// Whether the key is that one, of which `bit` says that it was seen.
    bool isMember(std::string_view key, std::string_view name, std::uint32_t bit,
                  ChromeEvent &event);
    bool readEventMember(std::string_view key, ChromeEvent &event);
    bool readArgs(ChromeEvent &event);
    bool readArg(std::string_view key, ChromeArgs &args);
    bool readCollectiveArg(std::string_view key, ChromeArgs &args);
    bool readValue(std::string_view &text);
    bool readTime(std::string_view &text);
    bool readKeptText(std::string_view &text);
    void cutKeptText(std::string_view &text);
    void noteNumber(std::string_view text, bool isQuoted, bool isRead);
    template <class Integer>
    bool readInteger(Integer &value);
    bool readInteger(std::optional<std::int64_t> &value);
    bool readKey(std::string_view &key);
    bool readString(std::string_view &text);
    bool skip();

    const char *m_position;
    const char *m_end;
    json::ScanEffort m_effort;
    std::uint32_t m_flags = 0;
    bool m_hasCutText = false;
    bool m_hasQuotedNumber = false, m_hasLargeNumber = false;
    std::uint32_t m_seen = 0; ///< members of the event, a bit each; see readEventMember()
};

} // namespace core
