#include "core/import/mxnet/mxnet_importer.h"

#include "core/import/framework_ops.h"
#include "core/import/rank_from_folders.h"
#include "core/import/text/text_head.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    bool mentions(std::string_view head, std::string_view word)
    {
        return head.find(word) != std::string_view::npos;
    }

    /// Rows of TensorFlow's and MXNet's profiles, and the names that dPRO's recorder gives to ops.
    bool mentionsFramework(std::string_view head)
    {
        constexpr std::array Words
            = { std::string_view("/device:"),      std::string_view("/job:"),
                std::string_view("\"cpu/0\""),     std::string_view("\"gpu/0\""),
                std::string_view("\"cpu pinned/"), std::string_view("FW."),
                std::string_view("BW."),           std::string_view("UPDATE_"),
                std::string_view("Comm.") };
        return std::any_of(Words.begin(), Words.end(),
                           [head](std::string_view word) { return mentions(head, word); });
    }

    bool isNumber(std::string_view text)
    {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    }

    /// What profiler.dump() writes when it is called again: events, without the beginning of the
    /// document that they are in.
    bool isPiece(std::string_view head)
    {
        const std::string_view first = head.substr(0, head.find('}'));
        return (firstCharacter(head) == '{' || firstCharacter(head) == ',')
            && mentions(first, "\"ph\"") && !mentions(head, "\"traceEvents\"")
            && (mentions(head, "\"operator\"") || mentions(head, "\"imperative\"")
                || mentions(head, "\"symbolic\"") || mentions(head, "\"cpu/0\""));
    }

    void readOps(BundleEntry &entry, TraceSink &sink, const JobControl &control)
    {
        const WorkerId worker = sink.addWorker();
        WorkerInfo info;
        info.rank = rankFromFolders(entry);
        sink.describeWorker(worker, info);
        FrameworkOps ops(sink, worker, entry.name());
        ChromeSlices slices(ops, sink, entry.name());
        readChromeTrace(entry, sink.diagnostics(), slices, control);
        slices.finish();
        ops.finish(slices.counts());
    }

} // namespace

bool MxnetImporter::recognizes(std::string_view, std::string_view head) const
{
    if (isPiece(head))
        return true;
    const bool hasDevice = mentions(head, "\"cpu/0\"") || mentions(head, "\"cpu pinned/")
        || mentions(head, "\"gpu/0\"");
    return mentions(head, "\"traceEvents\"") && mentions(head, "\"process_name\"") && hasDevice;
}

void MxnetImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    readOps(entry, sink, control);
    sink.diagnostics().count(
        "no-epoch", Severity::Info, { entry.name(), std::nullopt },
        "MXNet's times do not count from the Unix epoch, so the profile can be seen beside other "
        "traces of the job only where the ranks' collectives match");
}

bool DproComputeImporter::recognizes(std::string_view entryName, std::string_view head) const
{
    const std::size_t slash = entryName.rfind('/');
    if (slash == std::string_view::npos || !mentions(head, "\"traceEvents\""))
        return false;
    const std::string_view file = entryName.substr(slash + 1);
    const std::string_view folders = entryName.substr(0, slash);
    const std::size_t above = folders.rfind('/');
    const std::string_view folder
        = above == std::string_view::npos ? folders : folders.substr(above + 1);
    return (file == "trace.json.gz" || file == "trace.json") && isNumber(folder)
        && mentionsFramework(head);
}

void DproComputeImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    readOps(entry, sink, control);
}

} // namespace core
