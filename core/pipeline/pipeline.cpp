#include "core/pipeline/pipeline.h"

#include "core/base/error.h"
#include "core/base/file_exists.h"
#include "core/base/link_target.h"
#include "core/bundle/bundle.h"
#include "core/fit/links/measured_graph.h"
#include "core/measure/job_metadata.h"
#include "core/pipeline/analyse_ranks.h"
#include "core/pipeline/device_clocks.h"
#include "core/pipeline/import_files.h"
#include "core/pipeline/impossible_durations.h"
#include "core/pipeline/iteration_kinds.h"
#include "core/pipeline/joined_collectives.h"
#include "core/pipeline/merged_collectives.h"
#include "core/pipeline/rank_checks.h"
#include "core/pipeline/recording_start.h"
#include "core/pipeline/source_names.h"
#include "core/pipeline/trace_files.h"
#include "core/pipeline/unrecorded_work.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/project_lock.h"
#include "core/project/write/project_writer.h"
#include "core/project/write/skipped_records.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

namespace core {

namespace {

    /// Removes a project that this import created, unless it is told to keep it. Needs the lock of
    /// the project: another import could fill what this one then removes.
    class NewFileGuard
    {
    public:
        explicit NewFileGuard(std::filesystem::path path)
            : m_path(linkTarget(std::move(path)))
            , m_isNew(!fileExists(m_path))
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

    FileImport fileImport(const ImportOptions &options, const StatedRanks &ranks,
                          const std::filesystem::path &project)
    {
        FileImport how;
        how.ranks = ranks;
        how.jobs
            = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
        how.memoryBytes = options.memoryLimitMib * 1024 * 1024;
        how.spillFolder = std::filesystem::absolute(project).parent_path();
        return how;
    }

    /// `descriptions`: what there is without a trace.
    [[noreturn]] void refuse(const Diagnostics &diagnostics,
                             const std::vector<JobMetadata> &descriptions)
    {
        constexpr std::size_t MostListed = 20; // an archive may hold any number of other files
        const std::vector<Diagnostic> &all = diagnostics.list();
        std::string message = "Nothing could be imported.";
        for (std::size_t i = 0; i < std::min(descriptions.size(), MostListed); ++i)
            message += "\n  " + descriptions[i].name
                + ": describes a job (its bandwidth, its batch size, say) and is no trace. Give "
                  "the folder that has the traces as well, or add it to the project that has them "
                  "with longpole import --append.";
        for (std::size_t i = 0; i < std::min(all.size(), MostListed); ++i)
            message += "\n  " + (all[i].file.empty() ? "" : all[i].file + ": ") + all[i].message;
        if (all.size() > MostListed)
            message += "\n  and " + std::to_string(all.size() - MostListed) + " more.";
        if (all.empty() && descriptions.empty())
            message += " The bundle holds no file. Give the folder or the files that the "
                       "profiler wrote: traces of torch.profiler, *.xplane.pb, a Horovod timeline, "
                       "an export of Nsight Systems ...";
        throw Error(message);
    }

    std::vector<std::string> namesOf(const std::vector<std::filesystem::path> &inputs)
    {
        std::vector<std::string> names;
        names.reserve(inputs.size());
        for (const std::filesystem::path &input : inputs)
            names.push_back(input.string());
        return names;
    }

    /// An import answers for its own files only, and for what it changes about the ranks together.
    std::vector<Diagnostic> ownDiagnostics(const std::vector<Diagnostic> &before,
                                           ProjectWriter &writer)
    {
        Diagnostics own = writer.ownDiagnostics();
        for (const Diagnostic &now : writer.diagnostics().list()) {
            const auto isSame = [&now](const Diagnostic &old) {
                return old.code == now.code && old.file == now.file && old.message == now.message;
            };
            if (isRankCheck(now) && std::none_of(before.begin(), before.end(), isSame))
                own.add(now);
        }
        return own.list();
    }

    void noteRankOfKnown(const std::string &file, int rank, Diagnostics &found)
    {
        found.count(
            "stated-rank", Severity::Warning, { file, {} },
            "The file is in the project already: --rank " + std::to_string(rank)
                + " is not applied. To change a rank, import the files into a new project.");
    }

    /// Has an item what the file of its name and size held that an earlier import read?
    bool isUnchanged(const Bundle &bundle, std::size_t index, const SourceFile &known)
    {
        if (known.modifiedNs == bundle.items()[index].modifiedNs)
            return true;
        try { // copied or written anew
            return !known.fingerprint.empty() && known.fingerprint == bundle.fingerprint(index);
        } catch (const Error &) {
            return false; // reading it tells why
        }
    }

    /// What an earlier import of this project has read is not read again: an import that was killed
    /// goes on where it was. Returns how many files that are.
    std::size_t leaveOutRead(const Bundle &bundle, const ProjectWriter &writer,
                             const StatedRanks &ranks, SortedBundle &sorted, Diagnostics &found)
    {
        return std::erase_if(sorted.traces, [&](const TraceFile &file) {
            const BundleItem &item = bundle.items()[file.index];
            const SourceFile *known = writer.readBefore(item.name, item.storedSize);
            if (!known || !isUnchanged(bundle, file.index, *known))
                return false;
            const auto rank = ranks.of(file.index);
            if (rank && known->ranks != std::vector<int> { *rank })
                noteRankOfKnown(item.name, *rank, found);
            return true;
        });
    }

    /// Why an import failed of which something is left, and how to go on.
    Error withWhatIsLeft(const std::exception &failure, std::size_t filesAdded)
    {
        const auto *error = dynamic_cast<const Error *>(&failure);
        const std::string why = error != nullptr ? error->message()
                                                 : std::string("The import could not go on (")
                + failure.what() + "). If memory ran out, lower --memory-limit or --jobs.";
        return Error(why + (why.ends_with('.') ? "" : ".")
                         + " What was read before is in the project (files added: "
                         + std::to_string(filesAdded) + "); to go on, " + std::string(HowToGoOn)
                         + std::string(HowToDoWithout) + '.',
                     error != nullptr ? error->where() : SourcePosition {});
    }

    /// Throws Error where the project is no longer there: what is written goes to a file without a
    /// name, and ends with it.
    void checkIsThere(const std::filesystem::path &project)
    {
        if (!fileExists(project))
            throw Error("the project was removed or renamed while the import ran; what was read is "
                        "not in it. Import the files again, into a project that nobody removes",
                        { project.string(), {} });
    }

    /// Looks at the ranks together and ends the import.
    void finishImport(const std::filesystem::path &project, ProjectWriter &writer, ImportEnd end,
                      const OutlineLimit &limit, const JobControl &control)
    {
        analyseRanks(project, writer, limit, control);
        writer.finish(end);
    }

    /// What is added to a project.
    struct Added
    {
        const Bundle &bundle;
        SortedBundle &sorted;
        Diagnostics &found; ///< while it was sorted
        bool describesOnly = false; ///< it holds no trace, but says something of the job
        std::filesystem::path project;
        bool isNewProject = false;
    };

    /// Counts the files; the rest of the report is the caller's. Ends before the ranks are looked
    /// at where a new project is better written anew: see ProjectWriter::displaced().
    ImportReport addBundle(const Added &added, const FileImport &how, ProjectWriter &writer,
                           const JobControl &control)
    {
        ImportReport report;
        report.filesKnown
            = leaveOutRead(added.bundle, writer, how.ranks, added.sorted, added.found);
        for (const SourceFile &file : added.sorted.others)
            writer.addFile(file);
        try {
            const FileCounts counts
                = importFiles(added.bundle, added.sorted, how, writer, control.part(0.02, 0.9));
            report.filesRead = counts.added;
            report.filesKnown += counts.alreadyThere;
        } catch (const Cancelled &) {
            // A cancelled append keeps the files that it has read whole; these need their
            // iterations.
            writer.addDiagnostics(added.found);
            if (!added.isNewProject && writer.hasChanges())
                finishImport(added.project, writer, ImportEnd::Cancelled,
                             OutlineLimit(how.memoryBytes), {});
            throw;
        }
        writer.addDiagnostics(added.found);
        if (added.isNewProject) {
            writer.chooseRecordings();
            if (!writer.displaced().empty())
                return report;
        }
        if (report.filesRead == 0 && report.filesKnown == 0 && !added.describesOnly)
            refuse(writer.ownDiagnostics(), {});
        // Also where no trace is new: it may have been written since, or after an import was
        // killed.
        for (const JobMetadata &metadata : added.sorted.metadata)
            writer.addMetadata(metadata);
        if (writer.hasChanges() || writer.continuesUnfinished())
            finishImport(added.project, writer, ImportEnd::Complete, OutlineLimit(how.memoryBytes),
                         control.part(0.9, 1));
        return report;
    }

    /// An import from its first file on.
    struct Import
    {
        const Bundle &bundle;
        const std::vector<std::filesystem::path> &inputs;
        const std::filesystem::path &project;
        const ImportOptions &options;
        const StatedRanks &ranks;
        bool describesOnly = false;
    };

    /// Absent, and nothing is written, where it is to be done again without the files that are
    /// `displaced` then.
    std::optional<ImportReport> importOnce(const Import &import, SortedBundle &sorted,
                                           Diagnostics found, std::vector<SourceFile> &displaced,
                                           const JobControl &control)
    {
        NewFileGuard guard(import.project);
        ProjectWriter writer(import.project, import.options.append,
                             namesOf(namedFromProject(import.inputs, import.project)));
        const std::vector<Diagnostic> before = writer.diagnostics().list();
        ImportReport report;
        try {
            report = addBundle({ import.bundle, sorted, found, import.describesOnly, import.project,
                                 guard.isNew() },
                               fileImport(import.options, import.ranks, import.project), writer,
                               control);
        } catch (const std::exception &failure) { // an Error, no memory, no thread
            checkIsThere(import.project);
            if (writer.filesAdded() == 0)
                throw;
            guard.keep();
            throw withWhatIsLeft(failure, writer.filesAdded());
        }
        displaced = writer.displaced();
        if (guard.isNew() && !displaced.empty())
            return std::nullopt;
        guard.keep();
        checkIsThere(import.project);
        report.eventsTotal = ProjectReader(import.project).info().eventsTotal;
        report.diagnostics = ownDiagnostics(before, writer);
        report.hasSkippedInput = std::ranges::any_of(report.diagnostics, skipsInput);
        control.report(1, "done");
        return report;
    }

    void leaveOutDisplaced(const std::vector<SourceFile> &displaced, const Bundle &bundle,
                           SortedBundle &sorted, Diagnostics &found)
    {
        std::set<std::string_view> names;
        for (const SourceFile &file : displaced)
            names.insert(file.name);
        std::erase_if(sorted.traces, [&](const TraceFile &trace) {
            return names.contains(bundle.items()[trace.index].name);
        });
        for (const SourceFile &file : displaced) {
            sorted.others.push_back(file);
            found.add({ "duplicate-rank",
                        Severity::Error,
                        1,
                        file.name,
                        {},
                        file.reason,
                        /*losesRecords=*/false });
        }
    }

    /// What transfers cost computation that shares the hosts' cores is told by its ops' shapes,
    /// too.
    bool hasHostLink(const Graph &graph)
    {
        return std::any_of(graph.devices.begin(), graph.devices.end(),
                           [](const Device &device) { return device.isHostLink; });
    }

} // namespace

bool skipsInput(const Diagnostic &diagnostic)
{
    return diagnostic.severity == Severity::Error
        || (diagnostic.severity == Severity::Warning && diagnostic.code.starts_with("too-many-"));
}

ImportReport importBundle(const std::vector<std::filesystem::path> &inputs,
                          const std::filesystem::path &project, const ImportOptions &options,
                          const JobControl &control)
{
    const auto bundle = openBundle(namedFromProject(inputs, project), control.part(0, 0.01));
    // From here on, also while it is looked whether the project is there: see NewFileGuard.
    const ProjectLock onlyImport(project);
    const StatedRanks ranks(options.ranks, bundle->items());
    Diagnostics found;
    SortedBundle sorted = sortBundle(*bundle, found, control.part(0.01, 0.02));
    const bool describesOnly = options.append && sorted.traces.empty() && !sorted.metadata.empty();
    if (sorted.traces.empty() && !describesOnly)
        refuse(found, sorted.metadata);
    const Import import { *bundle, inputs, project, options, ranks, describesOnly };
    for (;;) {
        std::vector<SourceFile> displaced;
        if (const auto report = importOnce(import, sorted, found, displaced, control))
            return *report;
        leaveOutDisplaced(displaced, *bundle, sorted, found);
    }
}

void discardImportRest(const std::filesystem::path &project, const JobControl &control)
{
    {
        const ProjectLock onlyImport(project);
        const auto unfinished = ProjectReader(project).info().unfinishedImport;
        if (unfinished && !unfinished->hasStoredNothing) {
            ProjectWriter writer(project, /*append=*/true, {});
            finishImport(project, writer, ImportEnd::Cancelled, {}, control); // the mark stays
        }
    }
    giveUpUnfinishedImport(project);
}

LoadedProject loadProject(const std::filesystem::path &project, const JobControl &control,
                          const StatedJob &given)
{
    LoadedProject loaded;
    const ProjectReader reader(project);
    auto trace = std::make_shared<Trace>(reader.readTrace(control.part(0, 0.5)));
    trace->lostRecords = lostRecords(reader.info());
    clipImpossibleDurations(*trace);
    joinTracedCollectives(*trace, control);
    const MergedCollectives merged = mergeFiles(*trace, reader.info(), control);
    addStatedAlgorithms(reader, *trace, merged, control);
    completeRanks(reader.info(), *trace, control);
    joinDeviceClocks(*trace, control);
    leaveOutRecordingStart(*trace);
    findUnrecordedWork(*trace, control);
    trace->stated = statedJob(trace->metadata);
    if (!given.gradientBytes.empty())
        trace->stated.gradientBytes = given.gradientBytes;
    loaded.trace = trace;
    auto graph = std::make_shared<Graph>(measuredGraph(*trace, control.part(0.5, 0.8)));
    trace->compared.period = iterationPeriod(*trace, *graph, control);
    graph->positions = positionsOf(trace->compared);
    loaded.graph = graph;
    if (hasHostLink(*graph))
        trace->shapes
            = std::make_shared<const OpShapes>(reader.readShapes(*trace, control.part(0.8, 1)));
    return loaded;
}

PredictorSources sourcesOf(const ProjectReader &reader, const Trace &trace)
{
    return { [&reader, &trace](const JobControl &control) {
                return reader.readShapes(trace, control);
            },
             [&reader](WorkerId worker) { return reader.memory(worker); } };
}

Predictor predictorOf(const LoadedProject &project, const ProjectReader &reader,
                      const JobControl &control)
{
    Predictor predictor(*project.trace, project.graph, control);
    predictor.setSources(sourcesOf(reader, *project.trace));
    return predictor;
}

} // namespace core
