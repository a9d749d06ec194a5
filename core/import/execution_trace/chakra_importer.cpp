#include "core/import/execution_trace/chakra_importer.h"

#include "core/import/entry_reader.h"
#include "core/import/execution_trace/chakra_translator.h"
#include "core/import/text/delimited_messages.h"
#include "core/import/text/json_object_list.h"
#include "core/import/text/text_head.h"

namespace core {

namespace {

    constexpr std::string_view NodesKey = "workload_graph";

    class JsonNodes : public JsonListConsumer
    {
    public:
        explicit JsonNodes(ChakraTranslator &translator)
            : m_translator(translator)
        {
        }
        bool addObject(std::string_view text, std::uint64_t offset) override
        {
            const auto node = chakraNodeFromJson(text);
            if (node)
                m_translator.addNode(*node, offset);
            return node.has_value();
        }

    private:
        ChakraTranslator &m_translator;
    };

    void readProtobuf(BundleEntry &entry, ChakraTranslator &translator, Diagnostics &diagnostics,
                      const JobControl &control)
    {
        DelimitedMessages messages(entry, diagnostics, control);
        messages.next(); // GlobalMetadata: versions and process ids
        while (messages.next()) {
            if (const auto node = chakraNodeFromProtobuf(messages.message()))
                translator.addNode(*node, messages.offset());
            else
                diagnostics.count("damaged-node", Severity::Error,
                                  { entry.name(), messages.offset() },
                                  "records that are no nodes were left out. Convert or record the "
                                  "trace again");
        }
    }

    /// Of the same bytes as recognizes() looks at: one read() may give as few as it likes.
    bool isJson(const BundleEntry &entry)
    {
        return firstCharacter(readUpTo(*openAgain(entry), Importer::HeadSize)) == '{';
    }

} // namespace

bool ChakraImporter::recognizes(std::string_view, std::string_view head) const
{
    if (firstCharacter(head) == '{')
        return head.find("\"workload_graph\"") != std::string_view::npos
            && head.find("\"NodeType\"") != std::string_view::npos;
    return startsAsChakraProtobuf(head);
}

void ChakraImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    ChakraTranslator translator(sink, entry.name());
    if (isJson(entry)) {
        JsonNodes nodes(translator);
        readJsonObjectList(entry, NodesKey, sink.diagnostics(), nodes, control);
    } else {
        readProtobuf(entry, translator, sink.diagnostics(), control);
    }
    translator.finish();
}

} // namespace core
