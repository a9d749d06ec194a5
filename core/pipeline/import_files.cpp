#include "core/pipeline/import_files.h"

#include "core/base/async_work.h"
#include "core/base/error.h"
#include "core/import/rank_from_name.h"
#include "core/pipeline/shared_progress.h"
#include "core/pipeline/unknown_files.h"
#include "core/project/write/skipped_records.h"
#include "core/project/write/stray_events.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <future>
#include <mutex>
#include <optional>

namespace core {

namespace {

    constexpr double ReadShare = 0.7; ///< of the time that a file takes; the rest is writing it
    constexpr std::size_t MiB = 1024 * 1024;
    constexpr std::size_t FixedBytes = 64 * MiB; ///< of the program, SQLite and the readers
    constexpr std::size_t LinksShare = 8; ///< a part of the limit: see CollectLimits::linksBytes
    constexpr std::size_t LeastBytesPerFile = 32 * MiB;

    /// How a memory limit is divided among files that are read at the same time.
    struct Division
    {
        std::size_t threads = 1;
        CollectLimits limits; ///< of each
    };

    Division divided(const FileImport &how, std::size_t files)
    {
        const std::size_t linksBytes = how.memoryBytes / LinksShare;
        const std::size_t most // an import that was killed at its end has no file left to read
            = std::max<std::size_t>(1, std::min<std::size_t>(how.jobs, files));
        const std::size_t fixedBytes = FixedBytes + linksBytes;
        const std::size_t freeBytes = std::max(how.memoryBytes, fixedBytes) - fixedBytes;
        Division division;
        division.threads = std::clamp<std::size_t>(freeBytes / LeastBytesPerFile, 1, most);
        division.limits = { freeBytes / division.threads, how.spillFolder, linksBytes };
        return division;
    }

    /// The rank of a file that states none; says so where it may be another.
    std::optional<int> namedRank(const TraceFile &trace, CollectedFile &file)
    {
        if (!trace.named)
            return std::nullopt;
        const auto note = [&file](std::string_view code, std::string_view message) {
            file.diagnostics().count(code, Severity::Info, { file.source.name, {} }, message);
        };
        if (trace.named->source == RankSource::Alone && numberAtEnd(file.source.name))
            note("rank-of-single-trace",
                 "The trace does not say which rank it is, and is taken as rank 0, as it is the "
                 "only one: the number in its name may be anything. To say it: longpole import "
                 "--rank FILE=N");
        if (trace.named->source == RankSource::Order)
            note("ranks-by-order",
                 "Neither the traces nor their names say which rank they are: they were numbered "
                 "from 0 in the order of their names. To say it: longpole import --rank FILE=N");
        if (trace.named->source == RankSource::Places)
            note("ranks-by-places",
                 "Neither the traces nor their names say which rank they are. They were numbered "
                 "from 0 by the places in their names: pipeline stages (PP) before tensor "
                 "parallel ranks (TP). To say it: longpole import --rank FILE=N");
        if (trace.named->source == RankSource::Digits)
            note("rank-from-digits",
                 "Neither the trace nor a word in its name says which rank it is: a number in its "
                 "name was taken. To say it: longpole import --rank FILE=N");
        return trace.named->rank;
    }

    /// Gives a file the rank that the user states for it, which its own may contradict.
    void setStatedRank(CollectedFile &file, int stated)
    {
        const auto note = [&file](Severity severity, const std::string &message) {
            file.diagnostics().count("stated-rank", severity, { file.source.name, {} }, message);
        };
        if (file.workers.size() != 1) {
            note(Severity::Warning,
                 "The file holds " + std::to_string(file.workers.size())
                     + " ranks and states which they are; --rank gives one rank to a file of one, "
                       "and is not applied.");
            return;
        }
        std::optional<int> &rank = file.workers.front().rank;
        if (rank && *rank != stated)
            note(Severity::Warning,
                 "The file states that it is rank " + std::to_string(*rank) + "; taken as rank "
                     + std::to_string(stated) + ", as --rank says.");
        rank = stated;
    }

    /// Lets threads through in the order of their numbers. A mutex and a condition: a thread
    /// waits for its number or for a failure with its exception, and no latch, barrier or atomic
    /// waits for either of two things; a chain of futures would have to keep one promise a file on
    /// every way out.
    class Turns
    {
    public:
        /// Waits until all before `number` have passed; throws Cancelled if one of them failed.
        void wait(std::size_t number)
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [&] { return m_next == number || m_failure; });
            if (m_failure)
                throw Cancelled {};
        }
        void pass()
        {
            const std::lock_guard lock(m_mutex);
            ++m_next;
            m_changed.notify_all();
        }
        /// Keeps the first failure.
        void fail(std::exception_ptr failure)
        {
            const std::lock_guard lock(m_mutex);
            if (!m_failure)
                m_failure = std::move(failure);
            m_changed.notify_all();
        }
        std::exception_ptr failure()
        {
            const std::lock_guard lock(m_mutex);
            return m_failure;
        }

    private:
        std::mutex m_mutex;
        std::condition_variable m_changed;
        std::size_t m_next = 0;
        std::exception_ptr m_failure;
    };

    /// Reads files side by side and adds them to the project one after the other.
    class FileImporter
    {
    public:
        FileImporter(const Bundle &bundle, const SortedBundle &sorted, const FileImport &how,
                     ProjectWriter &writer, const JobControl &control)
            : m_bundle(bundle)
            , m_traces(sorted.traces)
            , m_how(how)
            , m_division(divided(how, sorted.traces.size()))
            , m_writer(writer)
            , m_progress(control, weights())
        {
        }

        FileCounts run()
        {
            std::vector<std::future<void>> others;
            for (std::size_t i = 1; i < m_division.threads; ++i)
                others.push_back(beginAsync([this] { importNext(); }));
            importNext();
            for (std::future<void> &other : others)
                other.get();
            if (const std::exception_ptr failure = m_turns.failure())
                std::rethrow_exception(failure);
            return m_counts;
        }

    private:
        std::vector<double> weights() const
        {
            std::vector<double> weights;
            for (const TraceFile &file : m_traces)
                weights.push_back(static_cast<double>(m_bundle.items()[file.index].storedSize) + 1);
            return weights;
        }

        /// What one thread does: takes the next file until there is none.
        void importNext()
        {
            try {
                for (std::size_t n = m_next++; n < m_traces.size(); n = m_next++)
                    importFile(n);
            } catch (...) {
                m_turns.fail(std::current_exception());
                m_progress.stop();
            }
        }

        void importFile(std::size_t number)
        {
            const BundleItem &item = m_bundle.items()[m_traces[number].index];
            const JobControl control = m_progress.job(number);
            throwIfCancelled(control);
            control.report(0, item.name);
            SourceFile source
                = { item.name, std::string(m_traces[number].importer->name()), item.storedSize };
            source.modifiedNs = item.modifiedNs;
            CollectedFile file(source, m_division.limits);
            const bool isRead = read(number, file, control.part(0, ReadShare));
            m_turns.wait(number);
            if (isRead)
                add(file, m_traces[number], control.part(ReadShare, 1));
            else
                keepFailure(file);
            control.report(1, item.name);
            m_turns.pass();
        }

        bool read(std::size_t number, CollectedFile &file, const JobControl &control) const
        {
            const TraceFile &trace = m_traces[number];
            std::unique_ptr<BundleEntry> entry;
            bool isRead = false;
            try {
                file.source.fingerprint = m_bundle.fingerprint(trace.index);
                entry = m_bundle.open(trace.index);
                trace.importer->read(*entry, file, control);
                setAsideStrayEvents(file);
                isRead = !isEmpty(file);
            } catch (const Cancelled &) {
                throw;
            } catch (const Error &error) {
                fail(file, error.where(), error.message());
            } catch (const std::exception &error) { // no memory, no thread: costs this file only
                fail(
                    file, { file.source.name, {} },
                    std::string("could not be read (") + error.what()
                        + "). If memory ran out, lower --memory-limit or --jobs (longpole import)");
            }
            // What was damaged because it was being written is told by both its diagnostics.
            if (entry)
                file.diagnostics().merge(entry->changesSinceListed());
            return isRead;
        }

        /// A trace of nothing; then says so. Damage that cost all events is told already.
        static bool isEmpty(CollectedFile &file)
        {
            if (eventsOf(file.source) > 0 || file.diagnostics().hasSkippedInput())
                return false;
            file.source.status = FileStatus::Skipped;
            file.source.reason
                = "is a trace without events: nothing was recorded. Record again, while steps run, "
                  "or leave it out";
            file.diagnostics() = {}; // what its events lack is of no matter
            file.diagnostics().add({ "empty-trace",
                                     Severity::Error,
                                     1,
                                     file.source.name,
                                     {},
                                     file.source.reason,
                                     /*losesRecords=*/false });
            return true;
        }

        static void fail(CollectedFile &file, const SourcePosition &where,
                         const std::string &message)
        {
            file.diagnostics().add(unreadableFile(where, message));
            file.source.status = FileStatus::Failed;
            file.source.reason = message;
        }

        void keepFailure(CollectedFile &file)
        {
            m_writer.addFile(file.source);
            m_writer.addDiagnostics(file.diagnostics());
        }

        void add(CollectedFile &file, const TraceFile &trace, const JobControl &control)
        {
            if (const auto stated = m_how.ranks.of(trace.index))
                setStatedRank(file, *stated);
            const auto fallbackRank = [&] { return namedRank(trace, file); };
            const AddResult result = m_writer.add(file, fallbackRank, control);
            m_counts.added += result == AddResult::Added ? 1 : 0;
            m_counts.alreadyThere += result == AddResult::AlreadyThere ? 1 : 0;
        }

        const Bundle &m_bundle;
        const std::vector<TraceFile> &m_traces;
        const FileImport &m_how;
        const Division m_division;
        ProjectWriter &m_writer;
        SharedProgress m_progress;
        Turns m_turns;
        std::atomic<std::size_t> m_next = 0;
        FileCounts m_counts; ///< changed in turn
    };

} // namespace

FileCounts importFiles(const Bundle &bundle, const SortedBundle &sorted, const FileImport &how,
                       ProjectWriter &writer, const JobControl &control)
{
    return FileImporter(bundle, sorted, how, writer, control).run();
}

} // namespace core
