#include "core/import/nccl/nccl_event_lines_importer.h"

#include "core/import/nccl/nccl_event_lines_reader.h"
#include "core/import/text/json_lines.h"
#include "core/import/text/text_head.h"

namespace core {

bool NcclEventLinesImporter::recognizes(std::string_view, std::string_view head) const
{
    if (firstCharacter(head) != '{')
        return false;
    return head.find("\"ProfilerLifecycle\"") != std::string_view::npos
        || head.find("\"type\":\"ncclProfile") != std::string_view::npos;
}

void NcclEventLinesImporter::read(BundleEntry &entry, TraceSink &sink,
                                  const JobControl &control) const
{
    NcclEventLinesReader reader(sink, entry.name());
    readJsonLines(entry, sink.diagnostics(), control,
                  [&reader](const nlohmann::json &, std::string_view text, std::uint64_t offset) {
                      reader.addLine(text, offset);
                  });
    reader.finish();
}

} // namespace core
