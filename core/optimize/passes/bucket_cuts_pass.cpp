#include "core/optimize/passes/bucket_cuts_pass.h"

#include "core/base/duration_text.h"
#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/bucket_chain.h"
#include "core/optimize/search.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace core {

namespace {

    constexpr PassInfo CutsInfo {
        .name = "bucket_cuts",
        .title = "Bucket boundaries",
        .hint = "Any buckets of consecutive tensors",
        .source = "MG-WFBP (INFOCOM 2019) and a dynamic program over the link model, then merges, "
                  "splits and shifts"
    };

    using Counts = std::vector<std::size_t>;

    /// Replays; a job of 100,000 operations then takes about ten seconds.
    constexpr std::size_t MostMoves = 400;
    constexpr std::size_t LongestShift = 4; ///< tensors

    Counts countsOf(const Strategy &strategy, const MeasuredJob &job)
    {
        if (const auto text = strategy.text(CutsKey))
            if (auto counts = bucketCounts(*text))
                return *counts;
        if (strategy.number("bucket_cap_mb")) {
            const BucketLimits limits = bucketLimits(
                job.graph, job.trace,
                { strategy.number("bucket_cap_mb"), strategy.number("first_bucket_mb") });
            return bucketLayout(usualStep(job.graph)->parameterBytes, limits.firstBytes,
                                limits.capBytes);
        }
        Counts counts;
        for (const GradientStep::Bucket &bucket : usualStep(job.graph)->buckets)
            counts.push_back(bucket.parameterCount);
        return counts;
    }

    std::set<std::size_t> boundariesOf(const Counts &counts)
    {
        std::set<std::size_t> boundaries;
        std::size_t next = 0;
        for (const std::size_t count : counts)
            boundaries.insert(next += count);
        return boundaries;
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

        void walk()
        {
            bool isBetter = !m_counts.empty();
            while (isBetter && m_moves < MostMoves) {
                isBetter = false;
                std::vector<CutsMove> moves = neighbours(m_counts, m_bytes);
                shuffle(moves);
                for (const CutsMove &move : moves) {
                    const auto ns = propose(move);
                    if (ns && *ns < m_ns) {
                        m_ns = *ns;
                        m_counts = move.counts;
                        isBetter = true;
                        break;
                    }
                    if (++m_moves >= MostMoves)
                        break;
                }
            }
        }

    private:
        std::optional<std::int64_t> propose(const CutsMove &move)
        {
            return m_search.propose(
                Search::with(m_start, { { std::string(CutsKey), bucketCountsText(move.counts) } }),
                countText(move.counts.size(), "bucket") + " of " + bucketCountsText(move.counts)
                    + " tensors",
                move.reason, farness(move.counts));
        }

        /// Boundaries that are here or there and not in both.
        double farness(const Counts &counts) const
        {
            const std::set<std::size_t> boundaries = boundariesOf(counts);
            std::vector<std::size_t> differing;
            std::set_symmetric_difference(boundaries.begin(), boundaries.end(), m_measured.begin(),
                                          m_measured.end(), std::back_inserter(differing));
            return static_cast<double>(differing.size());
        }

        /// Uses the search's own generator and not std::shuffle(), whose order each library
        /// chooses.
        void shuffle(std::vector<CutsMove> &moves)
        {
            for (std::size_t i = moves.size(); i > 1; --i)
                std::swap(moves[i - 1], moves[m_search.random()() % i]);
        }

        Search &m_search;
        Strategy m_start;
        MeasuredJob m_job;
        const std::vector<std::uint64_t> &m_bytes;
        std::set<std::size_t> m_measured; ///< boundaries
        Counts m_counts;
        std::int64_t m_ns = 0;
        std::size_t m_moves = 0;
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
