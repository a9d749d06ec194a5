#include "core/optimize/search.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/optimize/explanation.h"
#include "core/optimize/pass_list.h"

#include <algorithm>

namespace core {

namespace {

    constexpr double LeastStep = 0.001; ///< of an iteration, that makes a strategy better

    std::vector<std::pair<std::string, std::string>> memoKey(const Strategy &strategy)
    {
        auto key = strategy.list();
        std::sort(key.begin(), key.end());
        return key;
    }

    constexpr const char *StoppedText = "the search was stopped.";

    /// A check of a paused search returns late.
    JobControl withoutWaits(JobControl control, const std::shared_ptr<Search::Duration> &waited)
    {
        const auto isCancelled = [control, waited] {
            const auto asked = std::chrono::steady_clock::now();
            const bool is = control.isCancelled();
            *waited += std::chrono::steady_clock::now() - asked;
            return is;
        };
        return { isCancelled, [control](double fraction, std::string_view stage) {
                    control.report(fraction, stage);
                } };
    }

    std::size_t rankOf(const std::string &name)
    {
        std::size_t rank = 0;
        for (const auto &pass : passes()) {
            if (pass->info().name == name)
                break;
            ++rank;
        }
        return rank;
    }

} // namespace

Search::Search(Predictor predictor, SearchRequest request, JobControl control, OnStep onStep)
    : m_predictor(std::move(predictor))
    , m_request(std::move(request))
    , m_control(withoutWaits(std::move(control), m_waited))
    , m_onStep(std::move(onStep))
    , m_random(m_request.seed)
    , m_begin(std::chrono::steady_clock::now())
    , m_best(m_request.environment)
{
    const auto baselineNs = m_predictor.iterationNs(m_best, m_control.part(0, 0));
    if (!baselineNs) {
        const auto obstacle = strategyObstacle(m_predictor.job(), m_best);
        throw Error(obstacle.value_or("The given settings cannot be predicted on this trace."));
    }
    m_result.environment = m_best;
    m_result.baselineNs = m_bestNs = *baselineNs;
    m_result.replays = 1;
}

std::optional<std::string> Search::obstacle(const std::string &key) const
{
    return changeObstacle(m_predictor.job(), Change(key, std::string()));
}

Numerics numericsOf(const Strategy &strategy)
{
    for (const Change &change : strategy.changes)
        if (const auto traits = traitsOf(change.key); traits && change.number() != 1.0)
            if (traits->numerics != Numerics::Exact)
                return traits->numerics;
    return Numerics::Exact;
}

Strategy Search::with(Strategy strategy, const Strategy &changes)
{
    // A change that contradicts itself alone needs another one: it excludes none.
    const bool isWhole = contradictionOf(changes).empty();
    std::erase_if(strategy.changes, [&](const Change &change) {
        Strategy both = changes;
        both.set(change);
        return isWhole && contradictionOf({ change }).empty() && !contradictionOf(both).empty();
    });
    for (const Change &change : changes.changes)
        strategy.set(change);
    return strategy;
}

double Search::elapsedMs() const
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_begin
                                                     - *m_waited)
        .count();
}

std::optional<std::int64_t> Search::propose(Strategy strategy, std::string change,
                                            std::string reason, double farness)
{
    throwIfCancelled(m_control);
    if (elapsedMs() > 1e3 * m_request.seconds)
        throw OutOfTime {};
    for (const Change &given : m_request.environment.changes)
        if (std::find(strategy.changes.begin(), strategy.changes.end(), given)
            == strategy.changes.end()) {
            m_result.obstacles[std::string(m_pass->info().name)]
                = "It would change " + given.name() + ", which is given.";
            return std::nullopt;
        }
    auto key = memoKey(strategy);
    if (const auto known = m_memo.find(key); known != m_memo.end())
        return known->second;
    SearchStep step { std::string(m_pass->info().name),
                      std::move(change),
                      std::move(reason),
                      std::move(strategy),
                      {},
                      false,
                      farness,
                      0 };
    step.predictedNs = m_predictor.iterationNs(step.strategy, m_control.part(0, 0));
    m_memo.emplace(std::move(key), step.predictedNs);
    ++m_result.replays;
    const auto leastNs
        = static_cast<std::int64_t>(LeastStep * static_cast<double>(m_result.baselineNs));
    if (step.predictedNs && *step.predictedNs < m_bestNs - leastNs) {
        step.isAccepted = true;
        m_best = step.strategy;
        m_bestText = step.change;
        m_bestNs = *step.predictedNs;
    }
    step.wallMs = elapsedMs();
    m_control.report(std::min(0.9, step.wallMs / (1e3 * m_request.seconds)),
                     "best so far " + durationText(m_bestNs));
    m_result.steps.push_back(step);
    if (m_onStep)
        m_onStep(step);
    return step.predictedNs;
}

bool Search::isWanted(const Pass &pass, std::string &reason) const
{
    const PassInfo &info = pass.info();
    const auto &names = m_request.passes;
    const bool isNamed = std::find(names.begin(), names.end(), info.name) != names.end();
    if (!names.empty() && !isNamed)
        return false;
    if (info.numerics == Numerics::Reduced && !m_request.allowsReducedNumerics) {
        reason = "It changes the numbers that the job computes (--allow compressed).";
        return false;
    }
    if (info.isAnotherSystem && !isNamed) {
        reason = "The job would have to run on another system (--passes " + std::string(info.name)
            + ").";
        return false;
    }
    return true;
}

void Search::runPasses()
{
    for (const auto &pass : passes()) {
        const std::string name(pass->info().name);
        std::string reason;
        if (!isWanted(*pass, reason)) {
            if (!reason.empty())
                m_result.obstacles[name] = reason;
            continue;
        }
        if (auto obstacle = pass->obstacle(*this)) {
            m_result.obstacles[name] = std::move(*obstacle);
            continue;
        }
        m_pass = pass.get();
        pass->run(*this);
    }
}

/// Strategies within 1 % of an iteration count as alike: the earliest pass wins, the simplest to
/// set, and of that pass the nearest to the present.
void Search::chooseCandidates()
{
    const auto one
        = static_cast<std::int64_t>(LeastGain * static_cast<double>(m_result.baselineNs));
    std::map<std::string, std::int64_t> bestOf;
    for (const SearchStep &step : m_result.steps)
        if (step.predictedNs && *step.predictedNs <= m_result.baselineNs - one) {
            const auto [entry, isNew] = bestOf.try_emplace(step.pass, *step.predictedNs);
            entry->second = std::min(entry->second, *step.predictedNs);
        }
    for (const auto &[pass, ns] : bestOf) {
        const SearchStep *chosen = nullptr;
        for (const SearchStep &step : m_result.steps)
            if (step.pass == pass && step.predictedNs && *step.predictedNs <= ns + one
                && *step.predictedNs <= m_result.baselineNs - one
                && (chosen == nullptr
                    || std::pair(step.farness, *step.predictedNs)
                        < std::pair(chosen->farness, *chosen->predictedNs)))
                chosen = &step;
        m_result.candidates.push_back({ static_cast<std::size_t>(chosen - m_result.steps.data()),
                                        chosen->strategy,
                                        pass,
                                        chosen->change,
                                        *chosen->predictedNs,
                                        numericsOf(chosen->strategy),
                                        m_result.baselineNs - *chosen->predictedNs,
                                        0,
                                        0,
                                        StoppedText,
                                        TrustLevel::Good,
                                        {},
                                        {} });
    }
    auto &candidates = m_result.candidates;
    std::int64_t leastNs = m_result.baselineNs;
    for (const Candidate &candidate : candidates)
        leastNs = std::min(leastNs, candidate.predictedNs);
    const auto isAlike
        = [&](const Candidate &candidate) { return candidate.predictedNs <= leastNs + one; };
    std::sort(candidates.begin(), candidates.end(), [&](const Candidate &a, const Candidate &b) {
        const auto place = [&](const Candidate &candidate) {
            return std::tuple(!isAlike(candidate), isAlike(candidate) ? rankOf(candidate.pass) : 0,
                              candidate.predictedNs);
        };
        return place(a) < place(b);
    });
}

void Search::findIntervals()
{
    const Prediction environment
        = m_predictor.predict(m_request.environment, m_control.part(0.9, 0.9));
    for (Candidate &candidate : m_result.candidates) {
        candidate.gainLowNs = candidate.gainHighNs = candidate.gainNs;
        const Prediction prediction
            = m_predictor.predictJudged(candidate.strategy, m_control.part(0.9, 0.9));
        candidate.trust = prediction.trust;
        candidate.trustReason = prediction.trustReason;
        candidate.explanation = core::explanation(m_predictor, environment, prediction);
        if (prediction.unknownInterval) {
            candidate.unknownInterval = *prediction.unknownInterval;
            continue;
        }
        const PredictionInterval interval
            = m_predictor.interval(prediction, m_control.part(0.9, 1));
        candidate.gainLowNs = candidate.gainNs - (interval.typicalHighNs - prediction.predictedNs);
        candidate.gainHighNs = candidate.gainNs + (prediction.predictedNs - interval.typicalLowNs);
        candidate.unknownInterval.clear();
    }
}

SearchResult Search::run()
{
    try {
        runPasses();
    } catch (const OutOfTime &) {
        m_result.isOutOfTime = true;
    } catch (const Cancelled &) {
        m_result.isStopped = true;
    }
    chooseCandidates();
    if (!m_result.isStopped) {
        try {
            findIntervals();
        } catch (const Cancelled &) {
            m_result.isStopped = true;
        }
    }
    // A poorly predicted strategy comes last, and is not advised.
    std::stable_partition(
        m_result.candidates.begin(), m_result.candidates.end(),
        [](const Candidate &candidate) { return candidate.trust != TrustLevel::Poor; });
    for (std::size_t i = 1; i < m_result.candidates.size() && m_result.advised() != nullptr; ++i)
        if (m_result.candidates[i].predictedNs - m_result.advised()->predictedNs
            <= static_cast<std::int64_t>(LeastGain * static_cast<double>(m_result.baselineNs)))
            m_result.alike.push_back(i);
    m_result.wallNs = static_cast<std::int64_t>(1e6 * elapsedMs());
    return std::move(m_result);
}

std::map<std::string, std::string> passObstacles(const Predictor &predictor,
                                                 const JobControl &control)
{
    const Search search(predictor, {}, control, {});
    std::map<std::string, std::string> obstacles;
    for (const auto &pass : passes())
        if (auto obstacle = pass->obstacle(search))
            obstacles.emplace(pass->info().name, std::move(*obstacle));
    return obstacles;
}

} // namespace core
