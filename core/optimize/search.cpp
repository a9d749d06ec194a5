#include "core/optimize/search.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/change/change_list.h"
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

    const PassInfo *infoOf(const std::string &name)
    {
        for (const auto &pass : passes())
            if (pass->info().name == name)
                return &pass->info();
        return nullptr;
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
    , m_control(std::move(control))
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

Strategy Search::with(Strategy strategy, const Strategy &changes)
{
    std::erase_if(strategy.changes, [&changes](const Change &change) {
        Strategy both = changes;
        if (both.find(change.key) == nullptr)
            both.set(change);
        return !contradictionOf(both).empty();
    });
    for (const Change &change : changes.changes)
        strategy.set(change);
    return strategy;
}

double Search::elapsedMs() const
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_begin)
        .count();
}

std::optional<std::int64_t> Search::propose(Strategy strategy, std::string change,
                                            std::string reason, double farness)
{
    throwIfCancelled(m_control);
    if (elapsedMs() > 1e3 * m_request.seconds)
        throw OutOfTime {};
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
        reason = "It changes what the job computes: allow it to have it tried.";
        return false;
    }
    if (info.isAnotherSystem && !isNamed) {
        reason = "The job would have to run on another system: name the pass to have it tried.";
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

/// Of strategies within 1 % of an iteration the one of the earliest pass, which is the simplest to
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
        const PassInfo *const info = infoOf(pass);
        m_result.candidates.push_back({ static_cast<std::size_t>(chosen - m_result.steps.data()),
                                        chosen->strategy,
                                        pass,
                                        chosen->change,
                                        *chosen->predictedNs,
                                        info->numerics,
                                        m_result.baselineNs - *chosen->predictedNs,
                                        0,
                                        0,
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
    for (std::size_t i = 1; i < candidates.size(); ++i)
        if (isAlike(candidates[i]))
            m_result.alike.push_back(i);
}

void Search::findIntervals()
{
    for (Candidate &candidate : m_result.candidates) {
        candidate.gainLowNs = candidate.gainHighNs = candidate.gainNs;
        const Prediction prediction
            = m_predictor.predict(candidate.strategy, m_control.part(0.9, 0.9));
        if (prediction.unknownInterval) {
            candidate.unknownInterval = *prediction.unknownInterval;
            continue;
        }
        const PredictionInterval interval
            = m_predictor.interval(prediction, m_control.part(0.9, 1));
        candidate.gainLowNs = candidate.gainNs - (interval.typicalHighNs - prediction.predictedNs);
        candidate.gainHighNs = candidate.gainNs + (prediction.predictedNs - interval.typicalLowNs);
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
    if (m_result.isStopped) {
        for (Candidate &candidate : m_result.candidates)
            candidate.unknownInterval = "the search was stopped.";
    } else {
        try {
            findIntervals();
        } catch (const Cancelled &) {
            m_result.isStopped = true;
        }
    }
    m_result.wallNs = static_cast<std::int64_t>(1e6 * elapsedMs());
    return std::move(m_result);
}

} // namespace core
