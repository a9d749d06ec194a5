#include "core/import/horovod/horovod_importer.h"

#include "core/import/horovod/horovod_timeline.h"

namespace core {

bool HorovodImporter::recognizes(std::string_view, std::string_view head) const
{
    const auto has
        = [head](std::string_view word) { return head.find(word) != std::string_view::npos; };
    if (!has("\"ph\""))
        return false;
    const bool isBlueFog = has("\"process_sort_index\"") && has("\"ENQUEUE_");
    return has("\"start_time_since_epoch_in_micros\"") || has("\"NEGOTIATE_") || isBlueFog;
}

void HorovodImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    HorovodTimeline timeline(entry, sink);
    ChromeSlices slices(timeline, sink, entry.name());
    readChromeTrace(entry, sink.diagnostics(), slices, control);
    slices.finish();
    timeline.finish(slices.counts());
}

} // namespace core
