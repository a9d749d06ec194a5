#include "core/import/kineto/kineto_importer.h"

#include "core/import/chrome/chrome_trace_reader.h"
#include "core/import/kineto/ascend_rank.h"
#include "core/import/kineto/kineto_categories.h"
#include "core/import/kineto/kineto_clock.h"
#include "core/import/kineto/kineto_header.h"
#include "core/import/kineto/kineto_translator.h"
#include "core/import/text/json_members.h"
#include "core/import/text/text_head.h"

#include <algorithm>
#include <array>
#include <optional>

namespace core {

namespace {

    constexpr std::string_view EventsKey = "\"traceEvents\"";

    /// Sends events and what stands around them to where they are understood.
    class KinetoReader : public ChromeTraceConsumer
    {
    public:
        KinetoReader(BundleEntry &entry, TraceSink &sink)
            : m_file(entry.name())
            , m_sink(sink)
            , m_clock(entry, sink.diagnostics())
            , m_header(sink, m_file)
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
            if (key != "baseTimeNanoseconds")
                m_header.addMember(key, value, offset);
            else if (const auto baseNs = integerFrom(json::unquoted(value)))
                m_clock.noteBase(*baseNs);
        }

        /// `beside`: what files beside it say, where it does not itself.
        void finish(const WorkerInfo &beside)
        {
            WorkerInfo info = m_header.info();
            if (!info.rank) {
                info.rank = beside.rank;
                info.worldSize = info.worldSize ? info.worldSize : beside.worldSize;
            }
            m_translator->finish(info, m_header.groupRanks());
            m_header.writeMetadata();
        }

    private:
        std::string m_file;
        TraceSink &m_sink;
        KinetoClock m_clock;
        KinetoHeader m_header;
        std::optional<KinetoTranslator> m_translator; ///< from the list of events on
    };

} // namespace

bool KinetoImporter::recognizes(std::string_view, std::string_view head) const
{
    const char first = firstCharacter(head);
    if (first != '{' && first != '[')
        return false;
    if (first == '[')
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
    reader.finish(ascendRank(entry));
}

} // namespace core
