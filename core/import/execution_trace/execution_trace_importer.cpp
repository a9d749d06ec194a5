#include "core/import/execution_trace/execution_trace_importer.h"

#include "core/import/execution_trace/execution_trace_translator.h"
#include "core/import/text/json_object_list.h"
#include "core/import/text/text_head.h"

namespace core {

namespace {

    class NodeReader : public JsonListConsumer
    {
    public:
        NodeReader(TraceSink &sink, const std::string &file)
            : m_translator(sink, file)
        {
        }
        bool addObject(std::string_view text, std::uint64_t offset) override
        {
            const auto node = executionTraceNode(text);
            if (node)
                m_translator.addNode(*node, offset);
            return node.has_value();
        }
        void finish() { m_translator.finish(); }

    private:
        ExecutionTraceTranslator m_translator;
    };

    bool has(std::string_view head, std::string_view key)
    {
        return head.find(key) != std::string_view::npos;
    }

} // namespace

bool ExecutionTraceImporter::recognizes(std::string_view, std::string_view head) const
{
    if (firstCharacter(head) != '{')
        return false;
    return has(head, "\"schema\"") && has(head, "\"nodes\"") && has(head, "\"id\"")
        && (has(head, "\"ctrl_deps\"") || has(head, "\"parent\""));
}

void ExecutionTraceImporter::read(BundleEntry &entry, TraceSink &sink,
                                  const JobControl &control) const
{
    NodeReader reader(sink, entry.name());
    readJsonObjectList(entry, "nodes", sink.diagnostics(), reader, control);
    reader.finish();
}

} // namespace core
