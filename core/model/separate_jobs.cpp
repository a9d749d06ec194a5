#include "core/model/separate_jobs.h"

#include "core/base/duration_text.h"
#include "core/base/name_beside.h"
#include "core/base/ranks_text.h"
#include "core/model/job_reductions.h"
#include "core/model/recording_times.h"
#include "core/model/world_size.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace core {

namespace {

    constexpr std::size_t MostNamedJobs = 4;

    using Workers = std::vector<WorkerId>;

    std::string ranksOf(const Trace &trace, const Workers &workers)
    {
        std::vector<int> ranks;
        std::transform(workers.begin(), workers.end(), std::back_inserter(ranks),
                       [&](WorkerId worker) { return trace.workers[worker.value].rank; });
        std::sort(ranks.begin(), ranks.end());
        return ranksText(ranks);
    }

    /// Ranks that may be of one job by what they reduce.
    struct Part
    {
        const JobReductions *first = nullptr; ///< that the others are compared with
        Workers workers;
    };

    class JobSeparation
    {
    public:
        explicit JobSeparation(const Trace &trace)
            : m_trace(trace)
            , m_comparison(trace)
            , m_jobOf(trace.workers.size(), 0)
        {
            separateByWorldSize();
            separateByTime();
            separateByReductions();
        }

        SeparateJobs found()
        {
            std::map<int, Workers> byJob;
            for (const Worker &worker : m_trace.workers)
                byJob[m_jobOf[worker.id.value]].push_back(worker.id);
            SeparateJobs found { {}, std::move(m_reasons), m_areMaybeClocks };
            const auto rankOf = [this](WorkerId id) { return m_trace.workers[id.value].rank; };
            for (auto &[job, workers] : byJob) {
                std::sort(workers.begin(), workers.end(),
                          [&](WorkerId a, WorkerId b) { return rankOf(a) < rankOf(b); });
                found.jobs.push_back(workers);
            }
            std::sort(found.jobs.begin(), found.jobs.end(), [&](const auto &a, const auto &b) {
                return rankOf(a.front()) < rankOf(b.front());
            });
            return found;
        }

    private:
        /// Ranks that state no size stay with most.
        void separateByWorldSize()
        {
            const std::optional<int> usual = statedWorldSize(m_trace);
            std::map<int, Workers> bySize;
            for (const Worker &worker : m_trace.workers)
                if (worker.worldSize)
                    bySize[*worker.worldSize].push_back(worker.id);
            if (bySize.size() < 2)
                return;
            std::string reason;
            for (const auto &[size, workers] : bySize) {
                if (size != *usual)
                    moveToNewJob(workers);
                reason += (reason.empty() ? "" : ", ") + ranksOf(m_trace, workers)
                    + (workers.size() == 1 ? " states" : " state") + " that the job has "
                    + std::to_string(size) + " ranks";
            }
            m_reasons.push_back(reason);
        }

        void separateByTime()
        {
            const std::vector<RecordingRun> runs = recordingRuns(m_trace);
            if (runs.size() < 2)
                return;
            // What the reference's clock reaches is one job, however small: else its runs would
            // each differ from a larger one.
            const auto weightOf = [this](const RecordingRun &run) {
                return std::tuple(isTiedToReference(run), run.isTimeOfDay, run.workers.size());
            };
            const auto most = std::max_element(runs.begin(), runs.end(),
                                               [&](const RecordingRun &a, const RecordingRun &b) {
                                                   return weightOf(a) < weightOf(b);
                                               });
            for (auto run = runs.begin(); run != runs.end(); ++run)
                if (run != most)
                    compareTimes(*run, *most);
        }

        /// A clock may be wrong by any amount; but then some offset fits all that both recorded.
        /// That clocks which count from a boot are apart tells of no other job where they are tied.
        void compareTimes(const RecordingRun &run, const RecordingRun &most)
        {
            const bool isBefore = run.time.startNs < most.time.startNs;
            const std::int64_t gapNs = isBefore ? most.time.startNs - run.time.endNs
                                                : run.time.startNs - most.time.endNs;
            const bool isTied = isTiedToReference(run) && isTiedToReference(most);
            const bool fits = m_trace.alignment.violationsAfter == 0;
            const bool areOfDay = run.isTimeOfDay && most.isTimeOfDay;
            const bool isOther = isTied ? areOfDay && !fits : gapNs > UnsetClockGapNs;
            if (m_trace.alignment.workers.empty() || !isOther)
                return;
            m_areMaybeClocks = m_areMaybeClocks || !areOfDay;
            m_reasons.push_back(
                (run.isTimeOfDay == most.isTimeOfDay
                     ? ranksOf(m_trace, run.workers) + " recorded " + durationText(gapNs)
                         + (isBefore ? " before " : " after ") + ranksOf(m_trace, most.workers)
                         + (areOfDay ? "" : " by clocks that count from a boot or a start")
                     : unlikeClocksText(run, most))
                + (isTied ? ", and no clocks fit the collectives that they would share"
                          : ", and nothing that they recorded ties them together"));
            // What their world sizes told apart already stays apart.
            std::map<int, Workers> byJob;
            for (const WorkerId worker : run.workers)
                byJob[m_jobOf[worker.value]].push_back(worker);
            for (const auto &[job, workers] : byJob)
                if (hasOthers(job, workers))
                    moveToNewJob(workers);
        }

        /// No gap: between such clocks it would be the time since 1970.
        std::string unlikeClocksText(const RecordingRun &run, const RecordingRun &most) const
        {
            const RecordingRun &ofDay = run.isTimeOfDay ? run : most;
            const RecordingRun &ofStart = run.isTimeOfDay ? most : run;
            return "the times of " + ranksOf(m_trace, ofDay.workers)
                + " are times of day, those of " + ranksOf(m_trace, ofStart.workers)
                + " count from a boot or a start";
        }

        bool isTiedToReference(const RecordingRun &run) const
        {
            return std::any_of(run.workers.begin(), run.workers.end(), [this](WorkerId worker) {
                const auto &clocks = m_trace.alignment.workers;
                return worker.value < clocks.size()
                    && (clocks[worker.value].isKnown || clocks[worker.value].isReference);
            });
        }

        bool hasOthers(int job, const Workers &workers) const
        {
            return static_cast<std::size_t>(std::count(m_jobOf.begin(), m_jobOf.end(), job))
                > workers.size();
        }

        /// Those that recorded most come first: others are compared with them.
        void separateByReductions()
        {
            const std::vector<JobReductions> ranks = jobReductions(m_trace);
            std::map<int, std::vector<const JobReductions *>> byJob;
            for (const JobReductions &rank : ranks)
                if (rank.isEnough())
                    byJob[m_jobOf[rank.worker.value]].push_back(&rank);
            for (auto &entry : byJob) {
                std::stable_sort(entry.second.begin(), entry.second.end(),
                                 [](const JobReductions *a, const JobReductions *b) {
                                     return a->calls > b->calls;
                                 });
                separateByReductions(entry.second);
            }
        }

        void separateByReductions(const std::vector<const JobReductions *> &ranks)
        {
            std::vector<Part> parts;
            std::vector<std::string> reasons; // why each is not of the first
            for (const JobReductions *rank : ranks) {
                std::string reason;
                const auto own = std::find_if(parts.begin(), parts.end(), [&](const Part &part) {
                    const std::string found = contradiction(*part.first, *rank);
                    if (reason.empty())
                        reason = found;
                    return found.empty();
                });
                if (own != parts.end()) {
                    own->workers.push_back(rank->worker);
                    continue;
                }
                parts.push_back({ rank, { rank->worker } });
                reasons.push_back(std::move(reason));
            }
            for (std::size_t i = 1; i < parts.size(); ++i) {
                m_reasons.push_back(reasons[i]);
                moveToNewJob(parts[i].workers);
            }
        }

        std::string contradiction(const JobReductions &first, const JobReductions &rank)
        {
            return m_comparison.contradiction(rank, first, ranksOf(m_trace, { rank.worker }),
                                              ranksOf(m_trace, { first.worker }));
        }

        void moveToNewJob(const Workers &workers)
        {
            const int job = 1 + *std::max_element(m_jobOf.begin(), m_jobOf.end());
            for (const WorkerId worker : workers)
                m_jobOf[worker.value] = job;
        }

        const Trace &m_trace;
        JobComparison m_comparison;
        std::vector<int> m_jobOf; ///< by WorkerId
        std::vector<std::string> m_reasons;
        bool m_areMaybeClocks = false;
    };

    /// Whether the files of all ranks lie in one folder, so that their names tell them.
    bool areOfOneFolder(const Trace &trace)
    {
        const std::string *first = nullptr;
        for (const Worker &worker : trace.workers)
            for (const std::string &file : worker.files) {
                first = first == nullptr ? &file : first;
                if (nameBeside(*first, file) == *first && first->find('/') != std::string::npos)
                    return false;
            }
        return true;
    }

    /// "ranks 0-1 (a.json and 1 more)".
    std::string jobText(const Trace &trace, const Workers &workers)
    {
        std::set<std::string> files;
        for (const WorkerId worker : workers)
            files.insert(trace.workers[worker.value].files.begin(),
                         trace.workers[worker.value].files.end());
        std::string text = ranksOf(trace, workers);
        if (!files.empty())
            text += " ("
                + (areOfOneFolder(trace) ? nameBeside(*files.begin(), *files.begin())
                                         : *files.begin())
                + (files.size() > 1 ? " and " + std::to_string(files.size() - 1) + " more" : "")
                + ")";
        return text;
    }

    /// "2 jobs".
    std::string jobCountText(const SeparateJobs &found)
    {
        return std::to_string(found.jobs.size()) + " jobs"
            + (found.areMaybeClocks ? ", or of clocks that nothing relates" : "");
    }

    /// Of each job one part, "a; b; c".
    template <class TextOf>
    std::string listedJobs(const SeparateJobs &found, TextOf textOf)
    {
        std::string text;
        for (std::size_t i = 0; i < std::min(found.jobs.size(), MostNamedJobs); ++i)
            text += (i > 0 ? "; " : "") + textOf(found.jobs[i]);
        if (found.jobs.size() > MostNamedJobs)
            text += "; and " + std::to_string(found.jobs.size() - MostNamedJobs) + " more";
        return text;
    }

} // namespace

SeparateJobs separateJobs(const Trace &trace)
{
    if (trace.workers.empty())
        return {};
    return JobSeparation(trace).found();
}

std::string separateJobsText(const Trace &trace, const SeparateJobs &found)
{
    std::string text = "The traces are of " + jobCountText(found) + ": "
        + listedJobs(found, [&](const Workers &job) { return jobText(trace, job); }) + ".";
    for (std::size_t i = 0; i < std::min(found.reasons.size(), MostNamedJobs); ++i)
        text += (i > 0 ? "; " : " What tells: ") + found.reasons[i];
    return text + ". Nothing that compares them holds; import each job into a project of its own.";
}

std::string separateJobsHeadline(const Trace &trace, const SeparateJobs &found)
{
    return "These traces are of " + jobCountText(found) + " ("
        + listedJobs(found, [&](const Workers &job) { return ranksOf(trace, job); })
        + "): no figure holds for the mixture. Import each job into a project of its own.";
}

void tellSeparateJobs(const Trace &trace, const SeparateJobs &found, AlignmentReport &clocks)
{
    if (!found.areSeveral())
        return;
    clocks.status = "These traces are of " + jobCountText(found) + " ("
        + listedJobs(found, [&](const Workers &job) { return ranksOf(trace, job); })
        + "): their clocks are not aligned, as what looks alike in them are not the same "
          "collectives. Import each job into a project of its own.";
}

} // namespace core
