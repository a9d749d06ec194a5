#include "core/pipeline/pipeline.h"

#include "core/align/align.h"
#include "core/analyze/iterations.h"
#include "core/base/error.h"
#include "core/bundle/bundle.h"
#include "core/graph/build_graph.h"
#include "core/import/rank_from_name.h"
#include "core/pipeline/trace_files.h"
#include "core/project/project_reader.h"
#include "core/project/project_writer.h"

#include <algorithm>
#include <optional>
#include <set>

namespace core {

namespace {

    /// Removes a project that this import created, unless it is told to keep it.
    class NewFileGuard
    {
    public:
        explicit NewFileGuard(std::filesystem::path path)
            : m_path(std::move(path))
            , m_isNew(!std::filesystem::exists(m_path))
        {
        }
        ~NewFileGuard()
        {
            if (!m_isNew)
                return;
            std::error_code ignored;
            for (const char *suffix : { "", "-wal", "-shm" })
                std::filesystem::remove(m_path.string() + suffix, ignored);
        }
        NewFileGuard(const NewFileGuard &) = delete;
        NewFileGuard &operator=(const NewFileGuard &) = delete;
        bool isNew() const { return m_isNew; }
        void keep() { m_isNew = false; }

    private:
        std::filesystem::path m_path;
        bool m_isNew;
    };

    std::optional<int> rankFor(const std::string &name, const ImportOptions &options,
                               bool isOnlyTrace)
    {
        for (const auto &[file, rank] : options.ranks)
            if (name == file || name.ends_with("/" + file))
                return rank;
        if (const auto rank = rankFromName(name))
            return rank;
        return isOnlyTrace ? std::optional<int>(0) : std::nullopt;
    }

    /// Reads one trace into the project; damage costs this file only. Returns whether anything of
    /// it was kept.
    bool importFile(const Bundle &bundle, const TraceFile &file, bool isOnlyTrace,
                    const ImportOptions &options, ProjectWriter &writer, const JobControl &control)
    {
        const BundleItem &item = bundle.items()[file.index];
        writer.beginFile(item.name, file.importer->name(), item.storedSize);
        try {
            const auto entry = bundle.open(file.index);
            file.importer->read(*entry, writer, control);
        } catch (const Error &error) {
            writer.diagnostics().count("unreadable-file", Severity::Error, error.where(),
                                       error.message());
            writer.discardFile();
            return false;
        }
        return writer.endFile([&] { return rankFor(item.name, options, isOnlyTrace); });
    }

    std::size_t importFiles(const Bundle &bundle, const SortedBundle &sorted,
                            const ImportOptions &options, ProjectWriter &writer,
                            const JobControl &control)
    {
        double totalBytes = 1, doneBytes = 0;
        for (const TraceFile &file : sorted.traces)
            totalBytes += static_cast<double>(bundle.items()[file.index].storedSize);
        std::size_t kept = 0;
        for (const TraceFile &file : sorted.traces) {
            throwIfCancelled(control);
            const BundleItem &item = bundle.items()[file.index];
            const double nextBytes = doneBytes + static_cast<double>(item.storedSize);
            const JobControl part = control.part(doneBytes / totalBytes, nextBytes / totalBytes);
            part.report(0, item.name);
            kept += importFile(bundle, file, sorted.traces.size() == 1, options, writer, part) ? 1
                                                                                               : 0;
            doneBytes = nextBytes;
        }
        for (const JobMetadata &metadata : sorted.metadata)
            writer.addMetadata(metadata);
        return kept;
    }

    [[noreturn]] void refuse(const Diagnostics &diagnostics)
    {
        std::string message = "Nothing could be imported.";
        for (const Diagnostic &diagnostic : diagnostics.list())
            message += "\n  " + (diagnostic.file.empty() ? "" : diagnostic.file + ": ")
                + diagnostic.message;
        if (diagnostics.list().empty())
            message += " The bundle holds no file. Give the folder or the files that "
                       "torch.profiler wrote.";
        throw Error(message);
    }

    /// What `after` counts beyond `before`: an append answers for its own files only.
    std::vector<Diagnostic> addedSince(const std::vector<Diagnostic> &before,
                                       std::vector<Diagnostic> after)
    {
        for (Diagnostic &diagnostic : after)
            for (const Diagnostic &old : before)
                if (old.code == diagnostic.code && old.file == diagnostic.file)
                    diagnostic.count -= std::min(diagnostic.count, old.count);
        std::erase_if(after, [](const Diagnostic &diagnostic) { return diagnostic.count == 0; });
        return after;
    }

    /// Iterations and alignment need all ranks at once, so they are found on the finished slices.
    void analyseRanks(const std::filesystem::path &project, ProjectWriter &writer,
                      const JobControl &control)
    {
        Trace trace = ProjectReader(project).readTrace(control.part(0, 0.5));
        control.report(0.6, "align clocks");
        trace.alignment = align(trace, control.part(0.6, 1));
        writer.setAlignment(trace.alignment);
        writer.setIterations(detectIterations(trace));
    }

    /// False for a project whose import was killed before its ranks were looked at together.
    bool isAnalysed(const Trace &trace)
    {
        std::set<WorkerId> withIterations;
        for (const Iteration &iteration : trace.iterations)
            withIterations.insert(iteration.worker);
        return trace.alignment.workers.size() == trace.workers.size()
            && withIterations.size() == trace.workers.size();
    }

    /// A cancelled append keeps the files that it has read whole, and these need their iterations.
    void finishAppended(const std::filesystem::path &project, ProjectWriter &writer)
    {
        writer.discardFile();
        analyseRanks(project, writer, {});
        writer.finish();
    }

} // namespace

ImportReport importBundle(const std::vector<std::filesystem::path> &inputs,
                          const std::filesystem::path &project, const ImportOptions &options,
                          const JobControl &control)
{
    const auto bundle = openBundle(inputs);
    Diagnostics found;
    const SortedBundle sorted = sortBundle(*bundle, found, control.part(0, 0.02));
    if (sorted.traces.empty())
        refuse(found);
    NewFileGuard guard(project);
    ImportReport report;
    std::vector<Diagnostic> before;
    {
        ProjectWriter writer(project, options.append);
        before = writer.diagnostics().list();
        writer.diagnostics().merge(found);
        try {
            report.filesRead
                = importFiles(*bundle, sorted, options, writer, control.part(0.02, 0.9));
        } catch (const Cancelled &) {
            if (!guard.isNew())
                finishAppended(project, writer);
            throw;
        }
        if (report.filesRead == 0)
            refuse(writer.diagnostics());
        analyseRanks(project, writer, control.part(0.9, 1));
        writer.finish();
    }
    guard.keep();
    const ProjectReader reader(project);
    report.eventsTotal = reader.info().eventsTotal;
    report.diagnostics = addedSince(before, reader.info().diagnostics);
    report.hasSkippedInput
        = std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                      [](const Diagnostic &d) { return d.severity == Severity::Error; });
    control.report(1, "done");
    return report;
}

LoadedProject loadProject(const std::filesystem::path &project, const JobControl &control)
{
    LoadedProject loaded;
    auto trace = std::make_shared<Trace>(ProjectReader(project).readTrace(control.part(0, 0.5)));
    if (!isAnalysed(*trace)) {
        trace->alignment = align(*trace, control);
        trace->iterations = detectIterations(*trace);
    }
    loaded.trace = trace;
    loaded.graph = std::make_shared<Graph>(buildGraph(*loaded.trace, control.part(0.5, 1)));
    return loaded;
}

} // namespace core
