#include "core/align/collective_ends/end_reach.h"

#include "core/align/collective_ends/end_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace core {

namespace {

    constexpr double Infinite = std::numeric_limits<double>::infinity();
    /// One-sided 90 % of Student's t, by batches: of 2, 3, ...
    constexpr std::array<double, MostBatches - 1> BatchQuantile
        = { 3.078, 1.886, 1.638, 1.533, 1.476 };
    constexpr double LogTwenty = 2.995732; ///< 95 %
    constexpr double FirstStepNs = 500; ///< of the places on a grid, each twice as far
    constexpr std::size_t MostEvaluations = 20'000'000; ///< places times pairs, of all workers
    constexpr std::size_t FewestReachPlaces = 16, MostReachPlaces = 256;

    struct DriftSums
    {
        double information = 0;
        std::array<double, MostBatches> score {};
    };

    void addDrift(const EndPairs &pairs, const JointFit &fit, std::size_t worker,
                  const std::vector<bool> &isOwn, DriftSums &sums)
    {
        const auto visit = [&](auto &&use) {
            for (const EndPair &pair : pairs.of(worker)) {
                if (isOwn[pair.other])
                    continue;
                const double scale = fit.scaleNs * pair.spread, left = fit.leftNs(pair);
                use(pair, left, pair.weight * robustWeight(left / scale) / (scale * scale));
            }
        };
        double total = 0, time = 0;
        visit([&](const EndPair &pair, double, double weight) {
            total += weight;
            time += weight * pair.timeNs;
        });
        visit([&](const EndPair &pair, double left, double weight) {
            const double since = pair.timeNs - time / total;
            sums.information += EndInformation * weight * since * since;
            sums.score[pair.batch] += weight * left * since;
        });
    }

} // namespace

OffsetReach::OffsetReach(const EndPairs &pairs, const JointFit &fit, std::size_t worker)
{
    std::set<std::size_t> batches;
    for (const EndPair &pair : pairs.of(worker)) {
        m_left.push_back({ fit.leftNs(pair), fit.scaleNs * pair.spread, pair.weight, pair.batch });
        batches.insert(pair.batch);
    }
    m_batches.assign(batches.begin(), batches.end());
    if (m_batches.size() < 2) {
        m_farthestNs = Infinite;
        return;
    }
    findPlaces(
        std::clamp(MostEvaluations / pairs.all().size(), FewestReachPlaces, MostReachPlaces));
    std::vector<ByBatch> byPlace;
    byPlace.reserve(m_places.size());
    for (const double place : m_places)
        byPlace.push_back(likelihood(place));
    likeWithoutEach(byPlace);
    std::vector<bool> areRefused;
    areRefused.reserve(byPlace.size());
    for (const ByBatch &here : byPlace)
        areRefused.push_back(isRefused(here));
    m_farthestNs = std::max(farthestNs(1, areRefused), farthestNs(-1, areRefused));
}

/// To one side: between the last place that is not refused and the next one.
double OffsetReach::farthestNs(double sign, const std::vector<bool> &areRefused) const
{
    constexpr int Halvings = 4;
    double allowedNs = 0, refusedNs = Infinite;
    for (std::size_t place = 0; place < m_places.size(); ++place)
        if (!areRefused[place])
            allowedNs = std::max(allowedNs, sign * m_places[place]);
    for (const double place : m_places)
        if (sign * place > allowedNs)
            refusedNs = std::min(refusedNs, sign * place);
    if (refusedNs == Infinite)
        return allowedNs;
    for (int halving = 0; halving < Halvings; ++halving) {
        const double middleNs = (allowedNs + refusedNs) / 2;
        (isRefused(likelihood(sign * middleNs)) ? refusedNs : allowedNs) = middleNs;
    }
    return refusedNs;
}

double OffsetReach::farthestNs() const
{
    return m_farthestNs;
}

/// Where the worker leaves with a peer, and a grid between and beyond.
void OffsetReach::findPlaces(std::size_t most)
{
    double widestNs = 0;
    m_places = { 0 };
    for (const Left &left : m_left)
        widestNs = std::max(widestNs, std::abs(left.ns));
    const std::size_t count = std::min(m_left.size(), most);
    for (std::size_t i = 0; i < count; ++i)
        m_places.push_back(-m_left[i * m_left.size() / count].ns);
    double ns = FirstStepNs;
    while (ns < 2 * widestNs) {
        m_places.push_back(ns);
        m_places.push_back(-ns);
        ns *= 2;
    }
}

OffsetReach::ByBatch OffsetReach::likelihood(double shiftNs) const
{
    std::array<EndLikelihood, MostBatches> likelihoods;
    for (const Left &left : m_left)
        likelihoods[left.batch].add((left.ns + shiftNs) / left.spread, left.weight);
    ByBatch sums {};
    for (std::size_t batch = 0; batch < MostBatches; ++batch)
        sums[batch] = likelihoods[batch].value();
    return sums;
}

void OffsetReach::likeWithoutEach(const std::vector<ByBatch> &byPlace)
{
    ByBatch most;
    most.fill(-Infinite);
    for (const ByBatch &here : byPlace) {
        const double all = std::accumulate(here.begin(), here.end(), 0.0);
        for (std::size_t batch = 0; batch < MostBatches; ++batch)
            if (all - here[batch] > most[batch]) {
                most[batch] = all - here[batch];
                m_best[batch] = here[batch];
            }
    }
}

bool OffsetReach::isRefused(const ByBatch &here) const
{
    double sum = 0, squares = 0;
    for (const std::size_t batch : m_batches)
        sum += m_best[batch] - here[batch];
    const auto count = static_cast<double>(m_batches.size());
    for (const std::size_t batch : m_batches)
        squares += std::pow(m_best[batch] - here[batch] - sum / count, 2);
    const double standardError = std::sqrt(squares * count / (count - 1));
    return sum > std::max(LogTwenty, BatchQuantile[m_batches.size() - 2] * standardError);
}

double driftError(const EndPairs &pairs, const JointFit &fit,
                  const std::vector<std::size_t> &workers)
{
    std::vector<bool> isOwn(fit.offsetNs.size(), false);
    for (const std::size_t worker : workers)
        isOwn[worker] = true;
    DriftSums sums;
    for (const std::size_t worker : workers)
        addDrift(pairs, fit, worker, isOwn, sums);
    if (sums.information <= 0)
        return Infinite;
    double squares = 0;
    for (const double score : sums.score)
        squares += score * score;
    const double scatter = squares * MostBatches / (MostBatches - 1);
    return std::sqrt(std::max(sums.information, scatter)) / sums.information;
}

} // namespace core
