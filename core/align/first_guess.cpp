#include "core/align/first_guess.h"

#include "core/align/clock_offsets.h"
#include "core/align/pair_map.h"
#include "core/align/visit_pairs.h"

#include <queue>

#include <Eigen/Sparse>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace core {

namespace {

    constexpr double PairNoiseNs = 1000; ///< keeps weights finite where ends agree exactly

    /// The narrowest window that holds more than half of the values: most ranks leave a collective
    /// within microseconds of each other, some are held up for milliseconds, and mostly to one
    /// side.
    template <class Number>
    struct DensestHalf
    {
        Number middle = 0;
        Number width = 0;
    };

    /// `values` is not empty.
    template <class Number>
    DensestHalf<Number> densestHalf(std::vector<Number> values)
    {
        std::sort(values.begin(), values.end());
        const std::size_t held = values.size() / 2 + 1;
        std::size_t best = 0;
        for (std::size_t i = 0; i + held <= values.size(); ++i)
            if (values[i + held - 1] - values[i] < values[best + held - 1] - values[best])
                best = i;
        return { values[best + held / 2], values[best + held - 1] - values[best] };
    }

    /// What two workers have in common says about their clocks, i < j.
    struct PairSamples
    {
        std::vector<std::int64_t> endDifferenceNs; ///< end_j - end_i of collectives
        // theta_i - theta_j lies between the largest lower and the smallest upper of messages.
        std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
        std::int64_t highest = std::numeric_limits<std::int64_t>::max();
        std::size_t messages = 0;
    };

    struct Pair
    {
        std::size_t i = 0, j = 0;
        std::int64_t differenceNs = 0; ///< theta_i - theta_j
        double weight = 1;
    };

    using Samples = PairMap<PairSamples>;

    void addCollectives(const ClockEvidence &evidence, Samples &samples, const JobControl &control)
    {
        for (const ObservedCollective &collective : evidence.collectives) {
            throwIfCancelled(control);
            if (!collective.endsTogether)
                continue;
            samples.rewind();
            visitPairs(collective.parts, [&samples](const ObservedPart &x, const ObservedPart &y) {
                const ObservedPart &a = x.worker < y.worker ? x : y;
                const ObservedPart &b = x.worker < y.worker ? y : x;
                samples(a.worker, b.worker).endDifferenceNs.push_back(b.endNs - a.endNs);
            });
        }
    }

    void addMessages(const ClockEvidence &evidence, Samples &samples)
    {
        for (const ObservedMessage &message : evidence.messages) {
            samples.rewind();
            const std::size_t from = message.sent.worker, to = message.received.worker;
            PairSamples &pair = samples(std::min(from, to), std::max(from, to));
            ++pair.messages;
            // theta_from - theta_to <= received - sent
            const std::int64_t bound = message.received.endNs - message.sent.startNs;
            if (from < to)
                pair.highest = std::min(pair.highest, bound);
            else
                pair.lowest = std::max(pair.lowest, -bound);
        }
    }

    /// Half way between both bounds: the fastest message each way took equally long. With messages
    /// in one direction only, the fastest took no time.
    void useMessages(const PairSamples &of, Pair &pair)
    {
        constexpr auto NoLower = std::numeric_limits<std::int64_t>::min();
        constexpr auto NoUpper = std::numeric_limits<std::int64_t>::max();
        const std::int64_t low = of.lowest == NoLower ? of.highest : of.lowest;
        const std::int64_t high = of.highest == NoUpper ? of.lowest : of.highest;
        pair.differenceNs = std::midpoint(low, high);
        pair.weight = static_cast<double>(of.messages)
            / (PairNoiseNs + std::abs(static_cast<double>(high) - static_cast<double>(low)));
    }

    std::vector<Pair> observedPairs(const ClockEvidence &evidence, const JobControl &control)
    {
        Samples samples;
        addCollectives(evidence, samples, control);
        addMessages(evidence, samples);
        std::vector<Pair> pairs;
        for (const auto &[workers, of] : samples.byPair()) {
            Pair &pair = pairs.emplace_back(Pair { workers.first, workers.second, 0, 1 });
            if (of.endDifferenceNs.empty()) {
                useMessages(of, pair);
                continue;
            }
            const DensestHalf half = densestHalf(of.endDifferenceNs);
            pair.differenceNs = half.middle;
            pair.weight = static_cast<double>(of.endDifferenceNs.size())
                / (PairNoiseNs + static_cast<double>(half.width));
        }
        return pairs;
    }

    /// Exact integer offsets along a spanning tree from the reference, which keep the least squares
    /// below free of large numbers: raw clocks may be apart by years.
    std::vector<std::optional<std::int64_t>> treeOffsets(const std::vector<Pair> &pairs,
                                                         std::size_t workers, std::size_t reference)
    {
        std::vector<std::vector<std::size_t>> pairsOf(workers);
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            pairsOf[pairs[p].i].push_back(p);
            pairsOf[pairs[p].j].push_back(p);
        }
        std::vector<std::optional<std::int64_t>> offset(workers);
        offset[reference] = 0;
        std::queue<std::size_t> queue;
        queue.push(reference);
        while (!queue.empty()) {
            const std::size_t from = queue.front();
            queue.pop();
            for (const std::size_t p : pairsOf[from]) {
                const Pair &pair = pairs[p];
                const std::size_t to = pair.i == from ? pair.j : pair.i;
                if (offset[to])
                    continue;
                // theta_i - theta_j = d
                std::int64_t sum = 0;
                const bool isTooFar = pair.i == from
                    ? __builtin_sub_overflow(*offset[from], pair.differenceNs, &sum)
                    : __builtin_add_overflow(*offset[from], pair.differenceNs, &sum);
                if (isTooFar || std::abs(static_cast<double>(sum)) > LargestOffsetNs)
                    continue; // damage
                offset[to] = sum;
                queue.push(to);
            }
        }
        return offset;
    }

    /// Corrections x to the tree's offsets that minimise sum w (x_i - x_j - r_ij)^2 with
    /// x_reference = 0: normal equations, the reference and unknown workers pinned.
    Eigen::VectorXd leastSquares(const std::vector<Pair> &pairs,
                                 const std::vector<std::optional<std::int64_t>> &tree,
                                 std::size_t reference)
    {
        const auto n = static_cast<Eigen::Index>(tree.size());
        std::vector<Eigen::Triplet<double>> normal; // sparse: most workers share no collective
        Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
        const auto isFree = [&](std::size_t worker) { return worker != reference && tree[worker]; };
        for (const Pair &pair : pairs) {
            if (!tree[pair.i] || !tree[pair.j])
                continue;
            const auto i = static_cast<int>(pair.i), j = static_cast<int>(pair.j);
            const double rest = static_cast<double>(pair.differenceNs)
                - static_cast<double>(*tree[pair.i] - *tree[pair.j]);
            if (isFree(pair.i)) {
                normal.emplace_back(i, i, pair.weight);
                right(i) += pair.weight * rest;
            }
            if (isFree(pair.j)) {
                normal.emplace_back(j, j, pair.weight);
                right(j) -= pair.weight * rest;
            }
            if (isFree(pair.i) && isFree(pair.j)) {
                normal.emplace_back(i, j, -pair.weight);
                normal.emplace_back(j, i, -pair.weight);
            }
        }
        for (std::size_t worker = 0; worker < tree.size(); ++worker)
            if (!isFree(worker))
                normal.emplace_back(static_cast<int>(worker), static_cast<int>(worker), 1.0);
        Eigen::SparseMatrix<double> matrix(n, n);
        matrix.setFromTriplets(normal.begin(), normal.end());
        return Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>(matrix).solve(right);
    }

} // namespace

std::vector<std::optional<std::int64_t>> guessOffsets(const ClockEvidence &evidence,
                                                      std::size_t workerCount,
                                                      std::size_t reference,
                                                      const JobControl &control)
{
    const std::vector<Pair> pairs = observedPairs(evidence, control);
    auto offsets = treeOffsets(pairs, workerCount, reference);
    const Eigen::VectorXd correction = leastSquares(pairs, offsets, reference);
    for (std::size_t w = 0; w < workerCount; ++w)
        if (offsets[w])
            *offsets[w] += std::llround(correction(static_cast<Eigen::Index>(w)));
    return offsets;
}

} // namespace core
