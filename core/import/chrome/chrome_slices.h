#pragma once

#include "core/import/category_counts.h"
#include "core/import/chrome/chrome_trace_reader.h"
#include "core/import/held_share.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// A slice of a Chrome trace: an X event, or a B event with the E that ends it. The texts are clean
/// UTF-8 and valid for the call only.
struct ChromeSlice
{
    std::string_view name, category; ///< category: "none" where the event has none
    std::string_view pid, tid; ///< empty where the event has none
    std::string_view args; ///< JSON object text, padded as json_scan.h asks for; of the end where
                           ///< the begin has none
    std::int64_t startNs = 0; ///< as written, in nanoseconds; at most 2^62 to either side
    std::int64_t durationNs = 0;
    std::size_t enclosing = 0; ///< begin events of its row that are still open around it
};

/// Gets the slices of a Chrome trace in the order in which they end in the file.
class ChromeSliceConsumer
{
public:
    virtual ~ChromeSliceConsumer() = default;
    virtual void addSlice(const ChromeSlice &slice) = 0;
    /// A metadata event ("process_name") of a row; `args` is padded JSON object text.
    virtual void addMetadata(std::string_view /*name*/, std::string_view /*pid*/,
                             std::string_view /*tid*/, std::string_view /*args*/)
    {
    }
    /// Whether a begin event shows that an open one of its row has ended, though its end is
    /// missing.
    virtual bool hasEnded(std::string_view /*open*/, std::string_view /*begun*/) const
    {
        return false;
    }
    /// An open activity of a row of `pid` was left out, as hasEnded() says that it has ended where
    /// `begun` begins.
    virtual void addUnended(std::string_view /*open*/, std::string_view /*begun*/,
                            std::string_view /*pid*/)
    {
    }
    /// Whether addCounter() is to be called for counters (ph "C") of that category.
    virtual bool wantsCounters(std::string_view /*category*/) const { return false; }
    /// A counter's values at a time (ns, as written); `args` is padded JSON object text.
    virtual void addCounter(std::string_view /*name*/, std::string_view /*args*/,
                            std::int64_t /*timeNs*/)
    {
    }
};

/// Makes slices of events. A row is a (pid, tid); an E without a name ends the innermost open B of
/// its row, an E with a name the innermost one of that name. An object without members is no event;
/// others are counted only (see countNotShown()).
class ChromeSlices : public ChromeTraceConsumer
{
public:
    /// The references must outlive the object. Of `sink`, diagnostics and importerBytes() are used.
    ChromeSlices(ChromeSliceConsumer &consumer, TraceSink &sink, std::string file)
        : m_consumer(consumer)
        , m_diagnostics(sink.diagnostics())
        , m_file(std::move(file))
        , m_mostHeldBytes(heldShare(sink))
    {
    }

    void addEvent(const ChromeEvent &event, std::string_view text, std::uint64_t offset) override;
    void addOther(std::uint64_t offset) override;
    /// After the last event: reports what was begun and never ended, and cleans the categories.
    void finish();

    using Counts = CategoryCounts;
    /// Events by category, "none" for those without. After finish() only: the texts are clean
    /// UTF-8.
    const Counts &counts() const { return m_counts; }

private:
    struct Open
    {
        std::string name, category, args;
        std::string timestamp;
        std::uint64_t offset = 0;

        std::uint64_t heldBytes() const
        {
            return sizeof(Open) + name.size() + category.size() + args.size() + timestamp.size();
        }
    };
    using Row = std::pair<std::string, std::string>;

    /// With the row that it may be the only one of.
    static std::uint64_t heldBytes(const Open &open, const ChromeEvent &event)
    {
        return open.heldBytes() + sizeof(Row) + event.pid.size() + event.tid.size();
    }

    void addComplete(const ChromeEvent &event, std::uint64_t offset);
    void addMetadata(const ChromeEvent &event, std::uint64_t offset);
    void addCounter(const ChromeEvent &event, std::uint64_t offset);
    void begin(const ChromeEvent &event, std::uint64_t offset);
    /// Ends the row's activities that have ended where `begun` begins.
    void dropEnded(std::vector<Open> &row, std::string_view begun, const ChromeEvent &event);
    void countUnended(const Open &open);
    void end(const ChromeEvent &event, std::uint64_t offset);
    void deliver(const Open &open, const ChromeEvent &event, std::size_t enclosing);
    void count(std::string_view code, Severity severity, std::uint64_t offset,
               std::string_view message);

    ChromeSliceConsumer &m_consumer;
    Diagnostics &m_diagnostics;
    std::string m_file;
    Counts m_counts; ///< by category as written until finish()
    std::map<Row, std::vector<Open>> m_open;
    const std::uint64_t m_mostHeldBytes; ///< of either of the next two
    std::uint64_t m_openBytes = 0, m_metadataBytes = 0;
    std::uint64_t m_openCount = 0;
};

} // namespace core
