#include "core/import/tensorflow/tf_stepstats_importer.h"

#include "core/base/error.h"
#include "core/import/entry_reader.h"
#include "core/import/tensorflow/tf_step_stats.h"

namespace core {

namespace {

    /// How many messages are nested, each as field 1 of the one around it, down to the name of a
    /// device; 0 if the text does not begin so.
    int nestingOfFirstDevice(std::string_view head)
    {
        constexpr char FirstField = '\x0a';
        constexpr int Deepest = 3;
        for (int depth = 0; depth <= Deepest; ++depth) {
            for (const std::string_view start : { "/job:", "/device:", "/gpu:", "/cpu:" }) {
                if (head.starts_with(start))
                    return depth;
            }
            if (!head.starts_with(FirstField))
                return 0;
            head.remove_prefix(1);
            if (!takeVarint(head))
                return 0;
        }
        return 0;
    }

    constexpr int NestingOfStepStats = 2, NestingOfRunMetadata = 3;

} // namespace

bool TfStepStatsImporter::recognizes(std::string_view, std::string_view head) const
{
    return nestingOfFirstDevice(head) >= NestingOfStepStats;
}

void TfStepStatsImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    const int nesting = nestingOfFirstDevice(readUpTo(*openAgain(entry), HeadSize));
    if (nesting < NestingOfStepStats)
        throw Error("the file is no step statistics of TensorFlow: it does not begin with a "
                    "device. Name what RunMetadata.SerializeToString() gave",
                    { entry.name(), 0 });
    const bool isRunMetadata = nesting == NestingOfRunMetadata;
    TfStepStats stats(sink, entry.name());
    const auto again = openAgain(entry);
    const JobControl outline = control.part(0, 0.4), nodes = control.part(0.4, 1);
    Diagnostics ignored; // the second pass reports the same
    ProtobufStream outlineStream(*again, ignored, outline);
    stats.readOutline(outlineStream, isRunMetadata);
    ProtobufStream nodeStream(entry, sink.diagnostics(), nodes);
    stats.readNodes(nodeStream, isRunMetadata);
    stats.finish();
}

} // namespace core
