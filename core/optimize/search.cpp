#include "core/optimize/search.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/optimize/explanation.h"
#include "core/optimize/pass_list.h"
#include "core/optimize/side_by_side.h"

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
    JobControl withoutWaits(const JobControl &control,
                            const std::shared_ptr<Search::Duration> &waited)
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

} // namespace

Search::Search(Predictor predictor, SearchRequest request, const JobControl &control, OnStep onStep)
    : m_predictor(std::move(predictor))
    , m_request(std::move(request))
    , m_control(withoutWaits(control, m_waited))
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

std::int64_t bestSoFarNs(std::int64_t baselineNs, const std::vector<SearchStep> &steps)
{
    std::int64_t bestNs = baselineNs;
    for (const SearchStep &step : steps)
        if (step.isAccepted)
            bestNs = *step.predictedNs;
    return bestNs;
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

double Search::secondsLeft() const
{
    return m_request.seconds - elapsedMs() / 1e3;
}

std::optional<std::int64_t> Search::propose(Strategy strategy, std::string change,
                                            std::string reason, double farness)
{
    throwIfCancelled(m_control);
    // Baselines have been replayed already.
    if (m_pass != BaselineSteps && elapsedMs() > 1e3 * m_request.seconds)
        throw OutOfTime {};
    for (const Change &given : m_request.environment.changes)
        if (std::find(strategy.changes.begin(), strategy.changes.end(), given)
            == strategy.changes.end()) {
            m_result.obstacles[std::string(m_pass)]
                = "It would change " + given.name() + ", which is given.";
            return std::nullopt;
        }
    auto key = memoKey(strategy);
    if (const auto known = m_memo.find(key); known != m_memo.end())
        return known->second;
    SearchStep step { std::string(m_pass),
                      std::move(change),
                      std::move(reason),
                      std::move(strategy),
                      {},
                      false,
                      false,
                      farness,
                      0 };
    predict(step);
    const auto found = step.isTooLarge ? std::nullopt : step.predictedNs;
    m_memo.emplace(std::move(key), found);
    ++m_result.replays;
    const auto leastNs
        = static_cast<std::int64_t>(LeastStep * static_cast<double>(m_result.baselineNs));
    if (found && *found < m_bestNs - leastNs) {
        step.isAccepted = true;
        m_best = step.strategy;
        m_bestText = step.change;
        m_bestNs = *found;
    }
    step.wallMs = elapsedMs();
    m_control.report(std::min(0.9, step.wallMs / (1e3 * m_request.seconds)),
                     "best so far " + durationText(m_bestNs));
    m_result.steps.push_back(step);
    if (m_onStep)
        m_onStep(step);
    return found;
}

std::vector<std::optional<std::int64_t>> Search::guess(const std::vector<Strategy> &strategies)
{
    throwIfCancelled(m_control);
    const auto begin = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> left(1e3 * m_request.seconds - elapsedMs());
    skeleton();
    std::vector<std::optional<std::int64_t>> guessed(strategies.size());
    std::vector<std::size_t> unknown;
    for (std::size_t i = 0; i < strategies.size(); ++i) {
        const auto known = m_guessed.find(memoKey(strategies[i]));
        if (known != m_guessed.end()) {
            guessed[i] = known->second;
            continue;
        }
        unknown.push_back(i);
        findModels(strategies[i]);
    }
    sideBySide(unknown.size(), m_control, [&](std::size_t k, const JobControl &control) {
        if (std::chrono::steady_clock::now() - begin > left)
            throw OutOfTime {};
        guessed[unknown[k]] = guessOne(strategies[unknown[k]], control);
    });
    for (const std::size_t i : unknown)
        m_guessed.emplace(memoKey(strategies[i]), guessed[i]);
    m_result.guesses += unknown.size();
    return guessed;
}

void Search::findModels(const Strategy &strategy)
{
    if (!isOfSkeleton(strategy))
        m_predictor.findModels(effectsOf(strategy), m_control);
    else
        m_skeleton->findModels(strategy, m_control);
}

Skeleton &Search::skeleton()
{
    if (!m_skeleton)
        m_skeleton.emplace(m_predictor, m_request.environment, m_request.speedUps.sizes, m_control);
    return *m_skeleton;
}

bool Search::isOfSkeleton(const Strategy &strategy) const
{
    return m_request.speedUps.guessesOnSkeleton && m_skeleton->answers(strategy);
}

bool Search::isGuessedFast(const Strategy &strategy)
{
    skeleton();
    return isOfSkeleton(strategy);
}

std::optional<Skeleton::Replayed> Search::replayed(const Strategy &strategy)
{
    throwIfCancelled(m_control);
    if (elapsedMs() > 1e3 * m_request.seconds)
        throw OutOfTime {};
    skeleton();
    findModels(strategy);
    if (isOfSkeleton(strategy))
        return m_skeleton->replayed(strategy, m_control.part(0, 0));
    Prediction prediction = m_predictor.predict(strategy, m_control.part(0, 0));
    if (prediction.obstacle || prediction.graph == nullptr)
        return std::nullopt;
    return Skeleton::Replayed { prediction.graph, *prediction.replay, prediction.predictedNs };
}

std::optional<std::int64_t> Search::guessOne(const Strategy &strategy,
                                             const JobControl &control) const
{
    if (isOfSkeleton(strategy))
        return m_skeleton->iterationNs(strategy, control);
    Predictor own = m_predictor; // of this thread
    return own.iterationNs(strategy, control);
}

/// The memory of what is slower than the job as it is does not matter.
void Search::predict(SearchStep &step)
{
    if (!m_request.memoryLimitBytes) {
        step.predictedNs = m_predictor.iterationNs(step.strategy, m_control.part(0, 0));
        return;
    }
    const Prediction prediction = m_predictor.predict(step.strategy, m_control.part(0, 0));
    if (prediction.obstacle)
        return;
    step.predictedNs = prediction.predictedNs;
    step.isTooLarge
        = prediction.predictedNs < m_result.baselineNs && exceedsMemory(prediction, step);
}

bool Search::exceedsMemory(const Prediction &prediction, SearchStep &step)
{
    if (!m_result.memoryUnknown.empty())
        return false; // told once
    const auto memory = m_predictor.peakMemory(prediction, m_control.part(0, 0));
    const auto bytes = memory ? memory->predictedBytes() : std::nullopt;
    if (!bytes) {
        const auto why
            = memory ? (memory->unknown ? memory->unknown : memory->notPredicted) : std::nullopt;
        m_result.memoryUnknown = why.value_or("allocations are not recorded.");
        return false;
    }
    if (*bytes <= *m_request.memoryLimitBytes)
        return false;
    step.reason = "dropped: its predicted peak memory is " + bytesText(*bytes)
        + ", more than the limit of " + bytesText(*m_request.memoryLimitBytes);
    return true;
}

bool Search::isNamed(std::string_view pass) const
{
    const auto &names = m_request.passes;
    return std::find(names.begin(), names.end(), pass) != names.end();
}

bool Search::isWanted(const Pass &pass, std::string &reason) const
{
    const PassInfo &info = pass.info();
    if (!m_request.passes.empty() && !isNamed(info.name))
        return false;
    if (info.numerics == Numerics::Reduced && !m_request.allowsReducedNumerics) {
        reason = "It changes the numbers that the job computes (--allow compressed).";
        return false;
    }
    if (info.isAnotherSystem && !isNamed(info.name)) {
        reason = "The job would have to run on another system (name it in --passes).";
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
                m_result.obstacles[name] = pass->obstacle(*this).value_or(reason);
            continue;
        }
        if (auto obstacle = pass->obstacle(*this)) {
            m_result.obstacles[name] = std::move(*obstacle);
            continue;
        }
        m_pass = pass->info().name;
        m_random.seed(m_request.seed); // the same walk alone as after other passes
        pass->run(*this);
    }
}

/// Gains below it are not worth having.
std::int64_t Search::worthNs() const
{
    return static_cast<std::int64_t>(LeastGain * static_cast<double>(m_result.baselineNs));
}

/// The step of the pass that takes at most `mostNs` and is the nearest to the present, or the
/// fastest. Null where there is none.
const SearchStep *Search::bestStep(const std::string &pass, std::int64_t mostNs,
                                   bool isNearest) const
{
    const SearchStep *best = nullptr;
    const auto place = [isNearest](const SearchStep &step) {
        const auto ns = static_cast<double>(*step.predictedNs);
        return isNearest ? std::pair(step.farness, ns) : std::pair(ns, step.farness);
    };
    for (const SearchStep &step : m_result.steps)
        if (step.pass == pass && step.predictedNs && !step.isTooLarge && *step.predictedNs <= mostNs
            && (best == nullptr || place(step) < place(*best)))
            best = &step;
    return best;
}

Candidate Search::candidate(const SearchStep &step) const
{
    Candidate made;
    made.step = static_cast<std::size_t>(&step - m_result.steps.data());
    made.strategy = step.strategy;
    made.pass = step.pass;
    made.change = step.change;
    made.predictedNs = *step.predictedNs;
    made.numerics = numericsOf(step.strategy);
    made.gainNs = m_result.baselineNs - *step.predictedNs;
    made.unknownInterval = StoppedText;
    return made;
}

/// Strategies within 1 % of an iteration count as alike: the earliest pass wins, the simplest to
/// set.
void Search::chooseCandidates()
{
    auto &candidates = m_result.candidates;
    std::int64_t leastNs = m_result.baselineNs;
    std::vector<std::string> names; // in the order in which they ran
    for (const SearchStep &step : m_result.steps)
        if (names.empty() || names.back() != step.pass)
            names.push_back(step.pass);
    for (const std::string &name : names)
        if (const SearchStep *const fastest
            = bestStep(name, m_result.baselineNs - worthNs(), false)) {
            candidates.push_back(candidate(*fastest));
            leastNs = std::min(leastNs, *fastest->predictedNs);
        }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [mostNs = leastNs + worthNs()](const Candidate &a, const Candidate &b) {
                         const auto place = [mostNs](const Candidate &one) {
                             return one.predictedNs <= mostNs ? 0 : one.predictedNs;
                         };
                         return place(a) < place(b);
                     });
}

/// The first that is not predicted poorly gives way to the nearest to the present of its pass. A
/// poorly predicted one comes last, and is not advised.
void Search::judgeCandidates()
{
    auto &candidates = m_result.candidates;
    std::int64_t alikeNs = m_result.baselineNs;
    for (const Candidate &one : candidates)
        alikeNs = std::min(alikeNs, one.predictedNs + worthNs());
    bool isAdvised = false;
    for (Candidate &one : candidates) {
        const std::int64_t mostNs
            = std::min(m_result.baselineNs - worthNs(), std::max(alikeNs, one.predictedNs));
        if (!isAdvised)
            one = candidate(*bestStep(one.pass, mostNs, true));
        if (!m_result.isStopped)
            judge(one);
        isAdvised = isAdvised || one.trust != TrustLevel::Poor;
    }
    std::stable_partition(candidates.begin(), candidates.end(),
                          [](const Candidate &one) { return one.trust != TrustLevel::Poor; });
}

/// Trust and interval; where the user stops it, none.
void Search::judge(Candidate &candidate)
{
    candidate.gainLowNs = candidate.gainHighNs = candidate.gainNs;
    try {
        const Prediction prediction
            = m_predictor.predictJudged(candidate.strategy, m_control.part(0.9, 0.9));
        candidate.trust = prediction.trust;
        candidate.trustReason = prediction.trustReason;
        if (!m_environment)
            m_environment = m_predictor.predict(m_request.environment, m_control.part(0.9, 0.9));
        candidate.explanation
            = core::explanation(m_predictor, *m_environment, prediction, m_control.part(0.9, 0.9));
        candidate.parts = ablation(m_predictor, m_request.environment, candidate.strategy,
                                   secondsLeft(), m_control.part(0.9, 0.9));
        if (std::string parts = ablationText(candidate.parts); !parts.empty())
            candidate.explanation.push_back(std::move(parts));
        if (const auto memory = m_predictor.peakMemory(prediction, m_control.part(0.9, 0.9)))
            candidate.peakBytes = memory->predictedBytes();
        if (prediction.unknownInterval) {
            candidate.unknownInterval = *prediction.unknownInterval;
            return;
        }
        const PredictionInterval interval
            = m_predictor.interval(prediction, m_control.part(0.9, 1));
        candidate.gainLowNs = candidate.gainNs - (interval.typicalHighNs - prediction.predictedNs);
        candidate.gainHighNs = candidate.gainNs + (prediction.predictedNs - interval.typicalLowNs);
        candidate.unknownInterval.clear();
    } catch (const Cancelled &) {
        m_result.isStopped = true;
    }
}

void Search::findAlike()
{
    const Candidate *const advised = m_result.advised();
    for (std::size_t i = 1; i < m_result.candidates.size() && advised != nullptr; ++i)
        if (m_result.candidates[i].predictedNs - advised->predictedNs <= worthNs())
            m_result.alike.push_back(i);
}

bool Search::isOnWantedSystem(const Baseline &baseline) const
{
    return std::any_of(passes().begin(), passes().end(), [&](const auto &pass) {
        return pass->info().name == baseline.pass
            && (!pass->info().isAnotherSystem || isNamed(baseline.pass))
            && !baseline.strategy.isEmpty();
    });
}

/// No result is slower than what the job's own system, or a named one, does by default.
void Search::tryBaselines()
{
    m_result.baselines = baselinesOf(m_predictor,
                                     { .environment = m_request.environment,
                                       .wantsAutotune = isNamed("horovod_fusion"),
                                       .wantsRandomOrders = false,
                                       .seconds = secondsLeft() },
                                     m_control.part(0.9, 0.9));
    m_pass = BaselineSteps;
    for (const Baseline &baseline : m_result.baselines)
        if (baseline.predictedNs && *baseline.predictedNs < m_bestNs && isOnWantedSystem(baseline))
            propose(baseline.strategy, std::string(baseline.title),
                    "it is faster than what the passes found");
}

/// Baselines of many replays: by TicTac's orders those by chance are asked for, too.
void Search::addSampledBaselines()
{
    const bool hasTicTac
        = std::any_of(m_result.steps.begin(), m_result.steps.end(),
                      [](const SearchStep &step) { return step.pass == "tictac"; });
    const auto sampled
        = baselinesOf(m_predictor,
                      { .environment = m_request.environment,
                        .wantsDefaults = false,
                        .wantsAutotune = m_request.wantsBaselines && !isNamed("horovod_fusion"),
                        .wantsRandomOrders = m_request.wantsBaselines || hasTicTac,
                        .seconds = secondsLeft() },
                      m_control);
    m_result.baselines.insert(m_result.baselines.end(), sampled.begin(), sampled.end());
}

void Search::tryStart()
{
    if (m_request.start.isEmpty())
        return;
    m_pass = StartStep;
    propose(with(m_request.environment, m_request.start), "the given strategy",
            "the search goes on from it");
}

void Search::find()
{
    untilStopped([this] {
        tryStart();
        runPasses();
    });
}

void Search::untilStopped(const std::function<void()> &work)
{
    if (m_result.isStopped)
        return;
    try {
        work();
    } catch (const OutOfTime &) {
        m_result.isOutOfTime = true;
    } catch (const Cancelled &) {
        m_result.isStopped = true;
    }
}

SearchResult Search::run()
{
    find();
    untilStopped([this] { tryBaselines(); });
    chooseCandidates();
    judgeCandidates();
    findAlike();
    untilStopped([this] { addSampledBaselines(); });
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
