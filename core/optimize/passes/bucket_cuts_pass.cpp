#include "core/optimize/passes/bucket_cuts_pass.h"

#include "core/base/duration_text.h"
#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/bucket_boundaries.h"
#include "core/optimize/bucket_chain.h"
#include "core/optimize/metropolis.h"
#include "core/optimize/search.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace core {

namespace {

    constexpr PassInfo CutsInfo {
        .name = "bucket_cuts",
        .title = "Bucket boundaries",
        .hint = "Any buckets of consecutive tensors",
        .source = "MG-WFBP (INFOCOM 2019) and a dynamic program over the link model, then merges, "
                  "splits and shifts by Metropolis' rule on the job's skeleton"
    };

    using Counts = std::vector<std::size_t>;

    /// Replays of the skeleton; of a job of 100,000 operations two processors do as many in about
    /// three seconds.
    constexpr std::size_t MostGuesses = 2400;
    constexpr std::size_t GuessesAtOnce = 8, GuessesBetweenProposals = 400;
    /// How much longer an iteration of the walk may become: at its begin, as a part of it; at the
    /// end 0.
    constexpr double FirstTemperature = 0.01;
    constexpr std::size_t LongestShift = 4; ///< tensors

    Counts countsOf(const Strategy &strategy, const MeasuredJob &job)
    {
        if (const auto text = strategy.text(CutsKey))
            if (auto counts = bucketCounts(*text))
                return *counts;
        if (strategy.number("bucket_cap_mb") || strategy.number("first_bucket_mb")) {
            const BucketLimits limits = bucketLimits(
                job.graph, job.trace,
                { strategy.number("bucket_cap_mb"), strategy.number("first_bucket_mb") });
            return bucketLayout(usualStep(job.graph)->parameterBytes, limits.firstBytes,
                                limits.capBytes);
        }
        return bucketCountsOf(*usualStep(job.graph));
    }

    /// Another set of buckets, and how it came about.
    struct CutsMove
    {
        Counts counts;
        std::string reason;
    };

    std::string bucketName(std::size_t index)
    {
        return "bucket " + std::to_string(index + 1);
    }

    /// All that differ by one merge, split or shift.
    std::vector<CutsMove> neighbours(const Counts &counts, const std::vector<std::uint64_t> &bytes)
    {
        std::vector<CutsMove> moves;
        std::size_t first = 0;
        for (std::size_t i = 0; i < counts.size(); first += counts[i], ++i) {
            if (i + 1 < counts.size()) {
                Counts merged = counts;
                merged[i] += merged[i + 1];
                merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                moves.push_back({ std::move(merged),
                                  "merge " + bucketName(i) + " and the next: one latency less" });
                for (std::size_t shift = 1; shift <= LongestShift; shift *= 2) {
                    if (counts[i] > shift) {
                        Counts shifted = counts;
                        shifted[i] -= shift;
                        shifted[i + 1] += shift;
                        moves.push_back({ std::move(shifted),
                                          bucketName(i) + " is sent " + std::to_string(shift)
                                              + " tensors earlier" });
                    }
                    if (counts[i + 1] > shift) {
                        Counts shifted = counts;
                        shifted[i] += shift;
                        shifted[i + 1] -= shift;
                        moves.push_back({ std::move(shifted),
                                          bucketName(i) + " takes " + std::to_string(shift)
                                              + " tensors of the next" });
                    }
                }
            }
            if (counts[i] < 2)
                continue;
            const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first);
            const auto end = begin + static_cast<std::ptrdiff_t>(counts[i]);
            const std::uint64_t half = std::accumulate(begin, end, std::uint64_t { 0 }) / 2;
            std::uint64_t sum = 0;
            std::size_t count = 0;
            while (count + 1 < counts[i] && (count == 0 || sum < half))
                sum += begin[static_cast<std::ptrdiff_t>(count++)];
            Counts split = counts;
            split[i] = count;
            split.insert(split.begin() + static_cast<std::ptrdiff_t>(i) + 1, counts[i] - count);
            moves.push_back({ std::move(split),
                              "split " + bucketName(i) + ": its first half is sent earlier" });
        }
        return moves;
    }

    /// Walks from the best seed to the best neighbour by neighbour.
    class CutsWalk
    {
    public:
        CutsWalk(Search &search, Strategy start)
            : m_search(search)
            , m_start(std::move(start))
            , m_job(search.predictor().job())
            , m_bytes(usualStep(m_job.graph)->parameterBytes)
            , m_measured(boundariesOf(countsOf({}, m_job)))
        {
        }

        void seed(const Counts &counts, const std::string &reason)
        {
            const auto ns = propose({ counts, reason });
            if (ns && (m_counts.empty() || *ns < m_ns)) {
                m_counts = counts;
                m_ns = *ns;
            }
        }

        /// From the best seed: a walk by chance that may get worse (Metropolis et al. 1953), then
        /// down to where no neighbour is better.
        void walk()
        {
            if (m_counts.empty())
                return;
            if (m_search.isGuessedFast(strategyOf(m_counts)))
                anneal();
            while (descend()) { }
            simplify();
        }

    private:
        std::optional<std::int64_t> propose(const CutsMove &move)
        {
            return m_search.propose(strategyOf(move.counts),
                                    countText(move.counts.size(), "bucket") + " of "
                                        + bucketCountsText(move.counts) + " tensors",
                                    move.reason, farness(move.counts));
        }

        /// Boundaries that are here or there and not in both.
        double farness(const Counts &counts) const
        {
            const Boundaries boundaries = boundariesOf(counts);
            std::vector<std::size_t> differing;
            std::set_symmetric_difference(boundaries.begin(), boundaries.end(), m_measured.begin(),
                                          m_measured.end(), std::back_inserter(differing));
            return static_cast<double>(differing.size());
        }

        Strategy strategyOf(const Counts &counts) const
        {
            return Search::with(m_start, { { std::string(CutsKey), bucketCountsText(counts) } });
        }

        std::vector<std::optional<std::int64_t>> guess(const std::vector<CutsMove> &moves)
        {
            std::vector<Strategy> strategies;
            strategies.reserve(moves.size());
            for (const CutsMove &move : moves)
                strategies.push_back(strategyOf(move.counts));
            m_guesses += moves.size();
            return m_search.guess(strategies);
        }

        /// Proposes the best that the walk comes by, now and then: the time may be up at any time.
        void anneal()
        {
            Counts now = m_counts, best = now;
            const auto startNs = guess({ { now, {} } }).front();
            std::size_t nextProposal = GuessesBetweenProposals;
            double nowNs = static_cast<double>(startNs.value_or(0)), bestNs = nowNs;
            while (startNs && m_guesses < MostGuesses) {
                std::vector<CutsMove> moves = neighbours(now, m_bytes);
                if (moves.empty())
                    break;
                shuffle(moves);
                moves.resize(std::min(moves.size(), GuessesAtOnce));
                const auto guessed = guess(moves);
                const double left
                    = 1 - static_cast<double>(m_guesses) / static_cast<double>(MostGuesses);
                const double temperatureNs = FirstTemperature * bestNs * std::max(0.0, left);
                for (std::size_t i = 0; i < moves.size(); ++i) {
                    const double ns = static_cast<double>(guessed[i].value_or(0));
                    if (!guessed[i] || !isTakenAt(temperatureNs, ns - nowNs, m_search.random()))
                        continue;
                    now = moves[i].counts;
                    nowNs = ns;
                    if (ns < bestNs) {
                        best = now;
                        bestNs = ns;
                    }
                    break;
                }
                if (m_guesses < nextProposal)
                    continue;
                nextProposal += GuessesBetweenProposals;
                seed(best, "the best of a walk by chance");
            }
            seed(best, "the best of a walk by chance");
        }

        /// Takes back what hardly gains: boundary by boundary towards the recorded ones, as long as
        /// the iteration stays within half of what is worth having.
        void simplify()
        {
            const auto mostNs = static_cast<double>(guess({ { m_counts, {} } }).front().value_or(0))
                + LeastGain / 2 * static_cast<double>(m_search.baselineNs());
            Counts simple = m_counts;
            for (bool isSimpler = true; isSimpler;) {
                isSimpler = false;
                const std::vector<CutsMove> moves = towardsMeasured(simple);
                const auto guessed = guess(moves);
                double leastNs = mostNs;
                for (std::size_t i = 0; i < moves.size(); ++i)
                    if (guessed[i] && static_cast<double>(*guessed[i]) <= leastNs) {
                        leastNs = static_cast<double>(*guessed[i]);
                        simple = moves[i].counts;
                        isSimpler = true;
                    }
            }
            if (simple != m_counts)
                propose({ simple, "what hardly gains is as recorded" });
        }

        /// Each with one boundary as recorded that was not.
        std::vector<CutsMove> towardsMeasured(const Counts &counts) const
        {
            const Boundaries boundaries = boundariesOf(counts);
            std::vector<std::size_t> differing;
            std::set_symmetric_difference(boundaries.begin(), boundaries.end(), m_measured.begin(),
                                          m_measured.end(), std::back_inserter(differing));
            std::vector<CutsMove> moves;
            moves.reserve(differing.size());
            for (const std::size_t boundary : differing) {
                Boundaries changed = boundaries;
                if (changed.erase(boundary) == 0)
                    changed.insert(boundary);
                moves.push_back({ countsBetween(changed, m_bytes.size()), {} });
            }
            return moves;
        }

        /// Whether a neighbour is better, by a replay of the whole graph: the best by guess.
        bool descend()
        {
            const std::vector<CutsMove> moves = neighbours(m_counts, m_bytes);
            const auto guessed = guess(moves);
            std::size_t best = moves.size();
            for (std::size_t i = 0; i < moves.size(); ++i)
                if (guessed[i] && (best == moves.size() || *guessed[i] < *guessed[best]))
                    best = i;
            if (best == moves.size() || *guessed[best] >= m_ns)
                return false;
            const auto ns = propose(moves[best]);
            if (!ns || *ns >= m_ns)
                return false;
            m_ns = *ns;
            m_counts = moves[best].counts;
            return true;
        }

        /// Uses the search's own generator and not std::shuffle(), whose order each library
        /// chooses.
        void shuffle(std::vector<CutsMove> &moves)
        {
            for (std::size_t i = moves.size(); i > 1; --i)
                std::swap(moves[i - 1], moves[chosenOf(i, m_search.random())]);
        }

        Search &m_search;
        Strategy m_start;
        MeasuredJob m_job;
        const std::vector<std::uint64_t> &m_bytes;
        Boundaries m_measured; ///< boundaries
        Counts m_counts;
        std::int64_t m_ns = 0;
        std::size_t m_guesses = 0;
    };

    class BucketCutsPass : public Pass
    {
    public:
        const PassInfo &info() const override { return CutsInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            return search.obstacle(std::string(CutsKey));
        }

        void run(Search &search) const override
        {
            const MeasuredJob job = search.predictor().job();
            const Strategy start = search.best();
            CutsWalk walk(search, start);
            walk.seed(countsOf(start, job), "the best so far");
            if (const auto chain
                = bucketChain(search.predictor(), search.request().environment, search.control())) {
                walk.seed(bestCuts(*chain), "the dynamic program over ready times and link model");
                walk.seed(mergedCuts(*chain), "MG-WFBP's rule");
            }
            walk.walk();
        }
    };

} // namespace

std::unique_ptr<const Pass> bucketCutsPass()
{
    return std::make_unique<BucketCutsPass>();
}

} // namespace core
