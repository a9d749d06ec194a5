#include "core/import/chrome/chrome_slices.h"

#include "core/import/chrome/chrome_repairs.h"
#include "core/import/not_shown.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/decimal_time.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace core {

namespace {

    constexpr std::uint64_t MaximumOpenSlices = 1'000'000;
    constexpr std::ptrdiff_t SearchedSlices = 64; ///< innermost ones, for the one that an E names

    /// Differences of two times must fit; this is 146 years to either side of the epoch.
    constexpr std::int64_t LatestNs = std::numeric_limits<std::int64_t>::max() / 2;

    std::optional<std::int64_t> timeFrom(std::string_view text)
    {
        const auto ns = nanosecondsFromMicroseconds(text);
        return ns && *ns >= -LatestNs && *ns <= LatestNs ? ns : std::nullopt;
    }

    /// Followed by json::ScanPadding zeros, for consumers that take the arguments apart.
    std::string paddedArgs(const ChromeEvent &event)
    {
        std::string buffer;
        const std::string_view strict = strictArgs(event, buffer);
        return strict.empty() ? std::string() : std::string(strict).append(json::ScanPadding, '\0');
    }

    std::string_view withoutPadding(std::string_view padded)
    {
        return padded.empty() ? padded : padded.substr(0, padded.size() - json::ScanPadding);
    }

    std::string cleanName(const ChromeEvent &event)
    {
        return event.nameFlags == 0 ? std::string(event.name) : cleanString(event.name);
    }

} // namespace

void ChromeSlices::addEvent(const ChromeEvent &event, std::string_view text, std::uint64_t offset)
{
    // TensorFlow's trace viewer closes its list with "{}", which needs no comma behind it.
    if (event.phase == '\0' && text.find('"') == std::string_view::npos)
        return;
    countCategory(m_counts, event.hasCategory ? event.category : "none");
    countRepairs(event, m_file, offset, m_diagnostics);
    switch (event.phase) {
    case 'X':
        addComplete(event, offset);
        break;
    case 'B':
        begin(event, offset);
        break;
    case 'E':
        end(event, offset);
        break;
    case 'M':
        addMetadata(event, offset);
        break;
    case 'C':
        addCounter(event, offset);
        break;
    default:
        if (!countNotShown(event.phase, { m_file, offset }, m_diagnostics))
            m_diagnostics.countLost(
                "unknown-phase", Severity::Warning, { m_file, offset },
                "an event has no \"ph\", or one that the trace-event format does not define, and "
                "was only counted; record again if there are many");
    }
}

void ChromeSlices::addOther(std::uint64_t offset)
{
    countCategory(m_counts, "none");
    m_diagnostics.countLost(
        "not-an-event", Severity::Warning, { m_file, offset },
        "an element of the list of events is not an object and was only counted: the file is "
        "damaged there, record again if there are many");
}

void ChromeSlices::addComplete(const ChromeEvent &event, std::uint64_t offset)
{
    const auto startNs = timeFrom(event.timestamp);
    const auto durationNs = timeFrom(event.duration);
    if (!startNs || !durationNs || *durationNs < 0 || *durationNs > LatestNs - *startNs) {
        count("bad-time", Severity::Error, offset,
              "events whose \"ts\" or \"dur\" is missing, negative, not a number or out of range "
              "were left out; record again if there are many");
        return;
    }
    const auto row = m_open.find({ std::string(event.pid), std::string(event.tid) });
    const std::string name = cleanName(event), args = paddedArgs(event);
    const std::string category = event.hasCategory ? cleanString(event.category) : "none";
    const std::string pid = cleanString(event.pid), tid = cleanString(event.tid);
    m_consumer.addSlice({ name, category, pid, tid, withoutPadding(args), *startNs, *durationNs,
                          row == m_open.end() ? 0 : row->second.size() });
}

/// Consumers keep what names rows until the end.
void ChromeSlices::addMetadata(const ChromeEvent &event, std::uint64_t offset)
{
    const std::uint64_t size
        = sizeof(Row) + event.pid.size() + event.tid.size() + event.argsText.size();
    if (m_metadataBytes + size > m_mostHeldBytes) {
        count("too-many-row-names", Severity::Warning, offset,
              "more names of processes and threads than the import may hold: what the further "
              "ones are is not known. Import again with a larger --memory-limit (longpole import); "
              "if that many "
              "never ran, the file is damaged: record again");
        return;
    }
    m_metadataBytes += size;
    m_consumer.addMetadata(event.name, cleanString(event.pid), cleanString(event.tid),
                           withoutPadding(paddedArgs(event)));
}

void ChromeSlices::addCounter(const ChromeEvent &event, std::uint64_t offset)
{
    if (!m_consumer.wantsCounters(event.hasCategory ? event.category : "none")) {
        countNotShown(event.phase, { m_file, offset }, m_diagnostics);
        return;
    }
    const auto timeNs = timeFrom(event.timestamp);
    if (timeNs)
        m_consumer.addCounter(cleanName(event), withoutPadding(paddedArgs(event)), *timeNs);
    else
        count(
            "bad-time", Severity::Error, offset,
            "counters whose \"ts\" is missing, not a number or out of range were left out; record "
            "again if there are many");
}

void ChromeSlices::begin(const ChromeEvent &event, std::uint64_t offset)
{
    Open open { cleanName(event), event.hasCategory ? cleanString(event.category) : "none",
                paddedArgs(event), std::string(event.timestamp), offset };
    if (const auto row = m_open.find({ std::string(event.pid), std::string(event.tid) });
        row != m_open.end())
        dropEnded(row->second, open.name, event);
    const std::uint64_t size = heldBytes(open, event);
    if (m_openCount >= MaximumOpenSlices || m_openBytes + size > m_mostHeldBytes) {
        count("too-many-open-slices", Severity::Error, offset,
              "more than a million begin events (\"ph\": \"B\"), or more than the import may hold, "
              "have no end; further ones were left out. The file is damaged, record again; or "
              "import again with a larger --memory-limit (longpole import)");
        return;
    }
    ++m_openCount;
    m_openBytes += size;
    m_open[{ std::string(event.pid), std::string(event.tid) }].push_back(std::move(open));
}

void ChromeSlices::dropEnded(std::vector<Open> &row, std::string_view begun,
                             const ChromeEvent &event)
{
    while (!row.empty() && m_consumer.hasEnded(row.back().name, begun)) {
        countUnended(row.back());
        m_consumer.addUnended(row.back().name, begun, cleanString(event.pid));
        --m_openCount;
        m_openBytes -= heldBytes(row.back(), event);
        row.pop_back();
    }
}

void ChromeSlices::countUnended(const Open &open)
{
    count("begin-without-end", Severity::Error, open.offset,
          "begin events (\"ph\": \"B\") without an end were left out: the file was cut, or "
          "the job ended inside of them; record again to have them");
}

void ChromeSlices::end(const ChromeEvent &event, std::uint64_t offset)
{
    const auto row = m_open.find({ std::string(event.pid), std::string(event.tid) });
    const std::string name = cleanName(event);
    const auto isEnded = [&name](const Open &open) { return name.empty() || open.name == name; };
    if (row != m_open.end()) {
        std::vector<Open> &slices = row->second;
        const auto last = slices.rbegin()
            + std::min(SearchedSlices, static_cast<std::ptrdiff_t>(slices.size()));
        const auto found = std::find_if(slices.rbegin(), last, isEnded);
        if (found != last) {
            const Open open = std::move(*found);
            slices.erase(std::next(found).base());
            --m_openCount;
            m_openBytes -= heldBytes(open, event);
            deliver(open, event, slices.size());
            if (slices.empty())
                m_open.erase(row);
            return;
        }
    }
    m_diagnostics.countLost(
        "end-without-begin", Severity::Warning, { m_file, offset },
        "end events (\"ph\": \"E\") without a begin were only counted: recording began inside of "
        "them, or the begin is damaged; record again if there are many");
}

void ChromeSlices::deliver(const Open &open, const ChromeEvent &event, std::size_t enclosing)
{
    const auto startNs = timeFrom(open.timestamp);
    const auto endNs = timeFrom(event.timestamp);
    if (!startNs || !endNs || *endNs < *startNs) {
        count("bad-time", Severity::Error, open.offset,
              "begin and end events whose times are missing, no numbers or reversed were left "
              "out; record again if there are many");
        return;
    }
    const std::string args = open.args.empty() ? paddedArgs(event) : open.args;
    const std::string pid = cleanString(event.pid), tid = cleanString(event.tid);
    m_consumer.addSlice({ open.name, open.category, pid, tid, withoutPadding(args), *startNs,
                          *endNs - *startNs, enclosing });
}

void ChromeSlices::finish()
{
    for (const auto &[row, slices] : m_open) {
        for (const Open &open : slices)
            countUnended(open);
    }
    Counts clean;
    for (const auto &[category, count] : m_counts)
        clean[cleanString(category)] += count;
    m_counts = std::move(clean);
}

void ChromeSlices::count(std::string_view code, Severity severity, std::uint64_t offset,
                         std::string_view message)
{
    m_diagnostics.count(code, severity, { m_file, offset }, message);
}

} // namespace core
