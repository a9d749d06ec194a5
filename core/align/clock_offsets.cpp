#include "core/align/clock_offsets.h"

#include <queue>

#include <Eigen/Sparse>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t AllPairsUpTo = 16; ///< participants; more are compared with neighbours
    constexpr double NoiseFloorNs = 1000; ///< keeps weights finite where ends agree exactly
    constexpr double IgnoredFraction = 0.02; ///< of the constraints of a pair: outliers
    constexpr int SlackSteps = 40;

    /// The narrowest window that holds half of the values: most ranks leave a collective within
    /// microseconds of each other, some are held up for milliseconds, and always to the same side.
    struct DensestHalf
    {
        std::int64_t middle = 0;
        std::int64_t width = 0;
    };

    DensestHalf densestHalf(std::vector<std::int64_t> values)
    {
        std::sort(values.begin(), values.end());
        const std::size_t held = values.size() / 2 + 1;
        std::size_t best = 0;
        for (std::size_t i = 0; i + held <= values.size(); ++i)
            if (values[i + held - 1] - values[i] < values[best + held - 1] - values[best])
                best = i;
        return { values[best + held / 2], values[best + held - 1] - values[best] };
    }

    /// What two workers' common collectives say about their clocks, i < j.
    struct PairSamples
    {
        std::vector<std::int64_t> endDifferenceNs; ///< end_j - end_i
        std::vector<std::int64_t> boundIJ; ///< theta_i - theta_j <= end_j - start_i
        std::vector<std::int64_t> boundJI; ///< theta_j - theta_i <= end_i - start_j
    };

    struct Pair
    {
        std::size_t i = 0, j = 0;
        std::int64_t differenceNs = 0; ///< middle of the densest half of end_j - end_i
        double weight = 1;
        std::int64_t boundIJ = 0, boundJI = 0;
    };

    /// The smallest value but for a few outliers.
    std::int64_t lowBound(std::vector<std::int64_t> &values)
    {
        const auto skipped
            = static_cast<std::ptrdiff_t>(IgnoredFraction * static_cast<double>(values.size()));
        std::nth_element(values.begin(), values.begin() + skipped, values.end());
        return values[static_cast<std::size_t>(skipped)];
    }

    template <class Visit>
    void visitPairs(const ObservedCollective &collective, Visit visit)
    {
        const auto &parts = collective.parts;
        for (std::size_t a = 0; a < parts.size(); ++a)
            for (std::size_t b = a + 1; b < parts.size(); ++b)
                if (parts.size() <= AllPairsUpTo || a == 0 || b == a + 1)
                    visit(parts[a], parts[b]);
    }

    std::vector<Pair> observedPairs(const std::vector<ObservedCollective> &collectives)
    {
        std::map<std::pair<std::size_t, std::size_t>, PairSamples> samples;
        for (const ObservedCollective &collective : collectives)
            visitPairs(collective, [&samples](const auto &x, const auto &y) {
                const auto &a = x.worker < y.worker ? x : y;
                const auto &b = x.worker < y.worker ? y : x;
                PairSamples &pair = samples[{ a.worker, b.worker }];
                pair.endDifferenceNs.push_back(b.endNs - a.endNs);
                pair.boundIJ.push_back(b.endNs - a.startNs);
                pair.boundJI.push_back(a.endNs - b.startNs);
            });
        std::vector<Pair> pairs;
        for (auto &[workers, of] : samples) {
            const DensestHalf half = densestHalf(of.endDifferenceNs);
            Pair pair { workers.first,        workers.second,      half.middle, 1,
                        lowBound(of.boundIJ), lowBound(of.boundJI) };
            pair.weight = static_cast<double>(of.endDifferenceNs.size())
                / (NoiseFloorNs + static_cast<double>(half.width));
            pairs.push_back(pair);
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
                offset[to] = pair.i == from ? *offset[from] - pair.differenceNs
                                            : *offset[from] + pair.differenceNs;
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
            const auto rest
                = static_cast<double>(pair.differenceNs - (*tree[pair.i] - *tree[pair.j]));
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

    /// x_i - x_j <= bound
    struct Constraint
    {
        std::size_t i = 0, j = 0;
        double bound = 0;
    };

    /// Bellman-Ford from x = 0: the largest feasible x <= 0, or nothing if a cycle of constraints
    /// contradicts itself.
    std::optional<std::vector<double>> feasible(const std::vector<Constraint> &constraints,
                                                std::size_t workers, double slack)
    {
        std::vector<double> x(workers, 0);
        for (std::size_t round = 0; round <= workers; ++round) {
            bool isChanged = false;
            for (const Constraint &c : constraints) {
                if (x[c.i] > x[c.j] + c.bound + slack + 1e-6) {
                    x[c.i] = x[c.j] + c.bound + slack;
                    isChanged = true;
                }
            }
            if (!isChanged)
                return x;
        }
        return std::nullopt;
    }

    struct Shift
    {
        std::vector<double> x;
        double slack = 0;
    };

    /// The smallest slack with which the constraints can be met, and a point that does.
    Shift smallestShift(const std::vector<Constraint> &constraints, std::size_t workers)
    {
        if (auto x = feasible(constraints, workers, 0))
            return { std::move(*x), 0 };
        double low = 0, high = 1;
        for (const Constraint &c : constraints)
            high = std::max(high, -c.bound);
        for (int step = 0; step < SlackSteps; ++step) {
            const double middle = (low + high) / 2;
            (feasible(constraints, workers, middle) ? high : low) = middle;
        }
        auto x = feasible(constraints, workers, high);
        return { x ? std::move(*x) : std::vector<double>(workers, 0), high };
    }

    std::vector<Constraint> constraintsAround(const std::vector<Pair> &pairs,
                                              const std::vector<std::optional<std::int64_t>> &theta)
    {
        std::vector<Constraint> constraints;
        for (const Pair &pair : pairs) {
            if (!theta[pair.i] || !theta[pair.j])
                continue;
            const std::int64_t apart = *theta[pair.i] - *theta[pair.j];
            constraints.push_back({ pair.i, pair.j, static_cast<double>(pair.boundIJ - apart) });
            constraints.push_back({ pair.j, pair.i, static_cast<double>(pair.boundJI + apart) });
        }
        return constraints;
    }

} // namespace

ClockOffsets solveOffsets(const std::vector<ObservedCollective> &collectives,
                          std::size_t workerCount, std::size_t reference)
{
    const std::vector<Pair> pairs = observedPairs(collectives);
    ClockOffsets result { treeOffsets(pairs, workerCount, reference), 0 };
    const Eigen::VectorXd correction = leastSquares(pairs, result.offsetNs, reference);
    for (std::size_t w = 0; w < workerCount; ++w)
        if (result.offsetNs[w])
            *result.offsetNs[w] += std::llround(correction(static_cast<Eigen::Index>(w)));

    const Shift shift = smallestShift(constraintsAround(pairs, result.offsetNs), workerCount);
    std::vector<std::optional<std::int64_t>> shifted = result.offsetNs;
    for (std::size_t w = 0; w < workerCount; ++w)
        if (shifted[w])
            *shifted[w] += std::llround(shift.x[w] - shift.x[reference]);
    // Records that contradict each other would drag all clocks along; then the ends are the better
    // witnesses.
    if (countViolations(collectives, shifted) < countViolations(collectives, result.offsetNs)) {
        result.offsetNs = std::move(shifted);
        result.slackNs = std::llround(shift.slack);
    }
    return result;
}

std::uint64_t countViolations(const std::vector<ObservedCollective> &collectives,
                              const std::vector<std::optional<std::int64_t>> &offsetNs)
{
    const auto offsetOf = [&offsetNs](std::size_t worker) { return offsetNs[worker].value_or(0); };
    std::uint64_t violations = 0;
    for (const ObservedCollective &collective : collectives)
        for (const auto &entering : collective.parts)
            for (const auto &leaving : collective.parts)
                if (entering.startNs + offsetOf(entering.worker)
                    > leaving.endNs + offsetOf(leaving.worker))
                    ++violations;
    return violations;
}

} // namespace core
