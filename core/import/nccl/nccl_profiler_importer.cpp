#include "core/import/nccl/nccl_profiler_importer.h"

#include "core/import/chrome/chrome_trace_reader.h"
#include "core/import/nccl/nccl_event_translator.h"
#include "core/import/nccl/nccl_event_tree.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/text_head.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::array Categories
        = { std::string_view("\"GROUP_API\""),     std::string_view("\"GROUP\""),
            std::string_view("\"COLL_API\""),      std::string_view("\"COLL\""),
            std::string_view("\"P2P_API\""),       std::string_view("\"P2P\""),
            std::string_view("\"KERNEL_LAUNCH\""), std::string_view("\"PROXY\""),
            std::string_view("\"CE_COLL\"") };

    class ProfilerReader : public ChromeTraceConsumer
    {
    public:
        ProfilerReader(TraceSink &sink, const std::string &file)
            : m_sink(sink)
            , m_file(file)
            , m_translator(sink, file)
            , m_trees(sink, file, [this](const NcclEventTree &tree) { m_translator.addTree(tree); })
        {
        }

        void addEvent(const ChromeEvent &event, std::string_view, std::uint64_t offset) override
        {
            if (event.phase == 'b') {
                m_trees.begin(event, offset);
            } else if (event.phase == 'e') {
                if (!m_trees.end(event, offset))
                    m_translator.countRecord(cleanString(event.category));
            } else if (event.phase != '\0' || event.hasCategory) {
                m_translator.countRecord(cleanString(event.category));
                m_sink.diagnostics().countLost(
                    "unknown-phase", Severity::Warning, { m_file, offset },
                    "records that are neither begin nor end (\"ph\") were only counted: the "
                    "plug-ins of NCCL 2.23 to 2.31 write none, record with one of these");
            } // else it is the {} that the plug-in writes after its last comma
        }

        void addOther(std::uint64_t offset) override
        {
            m_translator.countRecord("none");
            m_sink.diagnostics().countLost(
                "not-an-event", Severity::Warning, { m_file, offset },
                "an element of the list is not an object and was only counted: the file is "
                "damaged there");
        }

        void finish()
        {
            m_trees.finish();
            m_translator.finish();
        }

    private:
        TraceSink &m_sink;
        std::string m_file;
        NcclEventTranslator m_translator;
        NcclEventTreeBuilder m_trees;
    };

} // namespace

bool NcclProfilerImporter::recognizes(std::string_view, std::string_view head) const
{
    if (firstCharacter(head) != '[')
        return false;
    return head.find("\"ph\": \"b\"") != std::string_view::npos
        && std::any_of(Categories.begin(), Categories.end(), [head](std::string_view category) {
               return head.find(category) != std::string_view::npos;
           });
}

void NcclProfilerImporter::read(BundleEntry &entry, TraceSink &sink,
                                const JobControl &control) const
{
    ProfilerReader reader(sink, entry.name());
    readChromeTrace(entry, sink.diagnostics(), reader, control);
    reader.finish();
}

} // namespace core
