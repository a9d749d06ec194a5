#include "core/model/compared_iterations.h"

#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"
#include "core/model/by_worker.h"
#include "core/model/world_size.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace core {

namespace {

    constexpr std::size_t MostNumbers = 4, MostGroups = 3; ///< listed one by one

    using Numbers = std::vector<std::int64_t>;
    using Workers = std::vector<WorkerId>; // ascending

    /// What each worker recorded; workers of the job that have iterations, as there is nothing to
    /// replay of the others.
    class RecordedNumbers
    {
    public:
        RecordedNumbers(std::span<const Worker> workers, std::span<const Iteration> iterations)
        {
            const std::optional<int> worldSize = statedWorldSize(workers);
            for (const Iteration &iteration : iterations) {
                const Worker &worker = workers[iteration.worker.value];
                if (isOfOtherJob(worker, worldSize))
                    continue;
                m_ranks.emplace(iteration.worker, worker.rank);
                Workers &by = m_wholeBy[iteration.index];
                if (iteration.waitedForRecordingNs > 0)
                    m_waitedNs[worker.rank] = iteration.waitedForRecordingNs;
                else if (iteration.unrecordedLaunches > 0 && !iteration.isWhole)
                    m_unrecorded[worker.rank] += iteration.unrecordedLaunches;
                else if (!iteration.isWhole)
                    m_brokenOff.emplace(iteration.worker, iteration.index);
                else if (by.empty() || by.back() != iteration.worker) // they come by worker
                    by.push_back(iteration.worker);
            }
        }

        bool isOfJob(WorkerId worker) const { return m_ranks.contains(worker); }
        std::size_t rankCount() const { return m_ranks.size(); }
        std::size_t count() const { return m_wholeBy.size(); }

        /// That any worker recorded whole.
        std::size_t countOfAny() const
        {
            return static_cast<std::size_t>(
                std::count_if(m_wholeBy.begin(), m_wholeBy.end(),
                              [](const auto &number) { return !number.second.empty(); }));
        }

        /// That every worker recorded whole.
        std::size_t commonCount() const
        {
            return static_cast<std::size_t>(
                std::count_if(m_wholeBy.begin(), m_wholeBy.end(), [this](const auto &number) {
                    return number.second.size() == m_ranks.size();
                }));
        }

        /// The longest run of them without one between them that only some ranks have: a replay
        /// would take what lies between for a part of the one before. Of equals the last, which is
        /// farther from the job's start.
        Numbers longestRun() const
        {
            Numbers longest, run;
            for (const auto &[number, by] : m_wholeBy) {
                if (by.size() == m_ranks.size()) {
                    run.push_back(number);
                    continue;
                }
                if (!run.empty() && run.size() >= longest.size())
                    longest = std::move(run);
                run.clear();
            }
            return run.size() >= longest.size() ? run : longest;
        }

        /// "Iterations 3 to 5 of rank 2 (its recording breaks off inside of iteration 3) and
        /// iteration 0 of ranks 4-7 were not recorded whole".
        std::string missingText() const
        {
            std::map<Numbers, std::vector<int>> ranksWithout; // which lack the same ones
            for (const auto &[worker, rank] : m_ranks)
                if (Numbers lacked = missingOf(worker); !lacked.empty())
                    ranksWithout[std::move(lacked)].push_back(rank);
            std::vector<std::string> parts;
            std::size_t others = 0;
            for (auto &[lacked, ranks] : ranksWithout) {
                std::sort(ranks.begin(), ranks.end());
                if (parts.size() < MostGroups)
                    parts.push_back(iterationNumbersText(lacked) + " of " + ranksText(ranks)
                                    + breakText(ranks));
                else
                    others += ranks.size();
            }
            if (others > 0)
                parts.push_back("some of " + countText(others, "other rank"));
            std::string text;
            for (std::size_t i = 0; i < parts.size(); ++i)
                text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
            text[0] = 'I';
            const bool isOne = parts.size() == 1 && ranksWithout.begin()->first.size() == 1
                && ranksWithout.begin()->second.size() == 1;
            if (!m_waitedNs.empty() || !m_unrecorded.empty())
                return text + (isOne ? " does" : " do") + " not count";
            return text + (isOne ? " was" : " were") + " not recorded whole";
        }

    private:
        Numbers missingOf(WorkerId worker) const
        {
            Numbers lacked;
            for (const auto &[number, by] : m_wholeBy)
                if (!std::binary_search(by.begin(), by.end(), worker))
                    lacked.push_back(number);
            return lacked;
        }

        /// Where the recording of one rank, or of several at the same iteration, breaks off, or
        /// what it lacks.
        std::string breakText(const std::vector<int> &ranks) const
        {
            std::int64_t waitedNs = 0;
            for (const auto &[rank, ns] : m_waitedNs)
                if (std::binary_search(ranks.begin(), ranks.end(), rank))
                    waitedNs = std::max(waitedNs, ns);
            if (waitedNs > 0)
                return " (up to " + durationText(waitedNs)
                    + " of waiting for ranks that began to record later)";
            std::size_t launches = 0;
            for (const auto &[rank, count] : m_unrecorded)
                launches += std::binary_search(ranks.begin(), ranks.end(), rank) ? count : 0;
            if (launches > 0)
                return " (" + std::to_string(launches) + (launches == 1 ? " launch" : " launches")
                    + " there have no device work recorded)";
            std::set<std::int64_t> at;
            std::size_t count = 0;
            for (const auto &[worker, number] : m_brokenOff)
                if (std::binary_search(ranks.begin(), ranks.end(), m_ranks.at(worker))) {
                    at.insert(number);
                    ++count;
                }
            if (at.size() != 1 || count != ranks.size())
                return {};
            return std::string(" (")
                + (count == 1 ? "its recording breaks" : "their recordings break")
                + " off inside of iteration " + std::to_string(*at.begin()) + ")";
        }

        std::map<WorkerId, int> m_ranks;
        std::map<std::int64_t, Workers> m_wholeBy; ///< by number
        std::multimap<WorkerId, std::int64_t> m_brokenOff;
        std::map<int, std::int64_t> m_waitedNs; ///< by rank: Iteration::waitedForRecordingNs
        std::map<int, std::size_t> m_unrecorded; ///< by rank: Iteration::unrecordedLaunches
    };

    using OfWorker = std::span<const Iteration>;

    /// Whether those of the job's workers that are paired by their place have several numbers.
    bool areNumberedDifferently(const ComparedIterations &paired, const RecordedNumbers &recorded)
    {
        Numbers numbers; // of the first worker
        std::size_t place = 0;
        for (const Iteration &iteration : paired.iterations) {
            if (!recorded.isOfJob(iteration.worker))
                continue;
            if (numbers.size() < paired.count)
                numbers.push_back(iteration.index);
            else if (iteration.index != numbers[place++ % paired.count])
                return true;
        }
        return false;
    }

    /// The first ones of each worker, as many as each of the job's has, paired in order. Nothing of
    /// a worker of another job that has fewer.
    ComparedIterations inOrder(const RecordedNumbers &recorded, std::span<const Worker> workers,
                               std::span<const Iteration> iterations)
    {
        ComparedIterations first;
        for (const Worker &worker : workers) {
            if (!recorded.isOfJob(worker.id))
                continue;
            const std::size_t count = iterationsOf(iterations, worker.id).size();
            first.count = first.count == 0 ? count : std::min(first.count, count);
            first.recordedCount = std::max(first.recordedCount, count);
        }
        for (const Worker &worker : workers) {
            const OfWorker own = iterationsOf(iterations, worker.id);
            if (own.size() >= first.count)
                first.iterations.insert(first.iterations.end(), own.begin(),
                                        own.begin() + static_cast<std::ptrdiff_t>(first.count));
        }
        if (first.count < first.recordedCount)
            first.leftOut = "The ranks have no number of an iteration in common, so that the first "
                + std::to_string(first.count) + " of each are compared, of up to "
                + std::to_string(first.recordedCount) + ".";
        else if (areNumberedDifferently(first, recorded))
            first.leftOut = "The ranks number their iterations differently: the first of each are "
                            "compared, then the second, and so on.";
        return first;
    }

    /// Appends one iteration of each number of `run`, a whole one where there is one. Nothing of a
    /// worker of another job that lacks any: the iterations of all are paired by their place.
    void appendRun(OfWorker own, const Numbers &run, std::vector<Iteration> &kept)
    {
        std::map<std::int64_t, const Iteration *> chosen;
        for (const Iteration &iteration : own) {
            if (!std::binary_search(run.begin(), run.end(), iteration.index))
                continue;
            const Iteration *&one = chosen[iteration.index];
            if (one == nullptr || (!one->isWhole && iteration.isWhole))
                one = &iteration;
        }
        if (chosen.size() < run.size())
            return;
        for (const Iteration &iteration : own)
            if (const auto one = chosen.find(iteration.index);
                one != chosen.end() && one->second == &iteration)
                kept.push_back(iteration);
    }

} // namespace

ComparedIterations comparedIterations(std::span<const Worker> workers,
                                      std::span<const Iteration> iterations)
{
    const RecordedNumbers recorded(workers, iterations);
    const Numbers run = recorded.longestRun();
    if (run.empty())
        return inOrder(recorded, workers, iterations);
    ComparedIterations compared;
    for (const Worker &worker : workers)
        appendRun(iterationsOf(iterations, worker.id), run, compared.iterations);
    compared.count = run.size();
    compared.recordedCount = recorded.count();
    compared.isLeftOutByAll = compared.count == recorded.countOfAny();
    if (compared.count < compared.recordedCount)
        compared.leftOut = recorded.missingText() + ". Figures are of " + iterationNumbersText(run)
            + " (" + std::to_string(compared.count) + " of "
            + std::to_string(compared.recordedCount) + ")"
            + (recorded.rankCount() == 1                 ? "."
                   : run.size() < recorded.commonCount() ? ", the longest run that every rank has."
                                                         : ", which every rank has.");
    return compared;
}

ComparedIterations comparedIterations(const Trace &trace)
{
    return comparedIterations(trace.workers, trace.iterations);
}

NumbersOfWorkers comparedNumbers(const Trace &trace)
{
    NumbersOfWorkers numbers;
    for (const Iteration &iteration : trace.compared.iterations)
        numbers.emplace(iteration.worker, iteration.index);
    return numbers;
}

std::string iterationNumbersText(const std::vector<std::int64_t> &numbers)
{
    if (numbers.empty())
        return "no iteration";
    if (numbers.size() == 1)
        return "iteration " + std::to_string(numbers.front());
    // Unsigned: a damaged trace may have the smallest and the largest number.
    const std::uint64_t span
        = static_cast<std::uint64_t>(numbers.back()) - static_cast<std::uint64_t>(numbers.front());
    const bool isRun = span + 1 == numbers.size();
    if (isRun && numbers.size() > 2)
        return "iterations " + std::to_string(numbers.front()) + " to "
            + std::to_string(numbers.back());
    const std::size_t shown = numbers.size() > MostNumbers ? MostNumbers - 1 : numbers.size() - 1;
    std::string text = "iterations ";
    for (std::size_t i = 0; i < shown; ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
    return text + " and "
        + (shown + 1 == numbers.size() ? std::to_string(numbers.back())
                                       : std::to_string(numbers.size() - shown) + " more");
}

} // namespace core
