#include "core/optimize/baselines.h"

#include "core/change/change_list.h"
#include "core/optimize/gaussian_tuner.h"
#include "core/optimize/presets.h"
#include "core/optimize/search.h"
#include "core/predict/daydream.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace core {

namespace {

    constexpr double BytesPerMegabyte = 1e6;
    constexpr int RandomOrders = 100;

    /// Seconds that are left to what takes many replays.
    class TimeLeft
    {
    public:
        explicit TimeLeft(double seconds)
            : m_seconds(seconds)
        {
        }
        bool isUp() const
        {
            const std::chrono::duration<double> elapsed
                = std::chrono::steady_clock::now() - m_begin;
            return elapsed.count() >= m_seconds;
        }

    private:
        double m_seconds;
        std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    };

    /// Why they cannot be predicted; empty: they can.
    std::string obstacleOf(const Predictor &predictor, const Strategy &strategy,
                           const Strategy &environment)
    {
        for (const Change &given : environment.changes)
            if (std::find(strategy.changes.begin(), strategy.changes.end(), given)
                == strategy.changes.end())
                return "They would change " + given.name() + ", which is given.";
        return strategyObstacle(predictor.job(), strategy).value_or("");
    }

    Baseline ofSystem(const Preset &preset, Predictor &predictor, const Strategy &environment,
                      const JobControl &control)
    {
        Baseline baseline { preset.name, preset.title, {}, {} };
        baseline.pass = preset.pass;
        baseline.strategy = Search::with(environment, preset.changes);
        baseline.unknown = obstacleOf(predictor, baseline.strategy, environment);
        if (!baseline.unknown.empty())
            return baseline;
        baseline.predictedNs = predictor.iterationNs(baseline.strategy, control);
        if (!baseline.predictedNs)
            baseline.unknown = "The trace does not support them.";
        return baseline;
    }

    Baseline byDaydream(const Predictor &predictor, const Strategy &environment,
                        const JobControl &control)
    {
        Baseline baseline { "daydream", "Daydream's model of the job as it is", {}, {} };
        baseline.predictedNs
            = daydreamIterationNs(predictor.job().trace, predictor.measured(), predictor.base(),
                                  predictor.models(), environment, control);
        if (!baseline.predictedNs)
            baseline.unknown = "No transfer's size is recorded.";
        return baseline;
    }

    /// Horovod's Autotune: a Gaussian process over 0 to 64 MB and 1 to 100 ms, four points first
    /// and twenty more (horovod/common/parameter_manager.cc of 0.28); it is told what we predict.
    Baseline byAutotune(Predictor &predictor, const BaselineRequest &request,
                        const TimeLeft &timeLeft, const JobControl &control)
    {
        const Strategy &environment = request.environment;
        constexpr double MostMb = 64, LeastMs = 1, MostMs = 100;
        Baseline baseline {
            "horovod_autotune", "Horovod with what its Autotune finds in 24 samples", {}, {}
        };
        baseline.pass = "horovod_fusion";
        const auto strategyAt = [&](const TunedPoint &point) {
            const double bytes = std::max(1.0, std::round(MostMb * BytesPerMegabyte * point.first));
            return Search::with(
                environment,
                { { "fusion_threshold_bytes", bytes },
                  { "cycle_time_ms", LeastMs + (MostMs - LeastMs) * point.second } });
        };
        baseline.unknown = obstacleOf(predictor, strategyAt({ 1, 0 }), environment);
        if (!baseline.unknown.empty())
            return baseline;
        GaussianTuning tuning;
        for (const auto &[mb, ms] : { std::pair(4., 5.), { 32., 50. }, { 16., 25. }, { 8., 10. } })
            tuning.first.emplace_back(mb / MostMb, (ms - LeastMs) / (MostMs - LeastMs));
        const auto costOf = [&](const TunedPoint &point) -> std::optional<double> {
            const auto ns = timeLeft.isUp() ? std::nullopt
                                            : predictor.iterationNs(strategyAt(point), control);
            return ns ? std::optional(static_cast<double>(*ns)) : std::nullopt;
        };
        const auto best = tunedByGaussianProcess(tuning, costOf);
        if (timeLeft.isUp()) {
            baseline.unknown = "The time was up before Autotune's last sample.";
        } else if (best) {
            baseline.strategy = strategyAt(*best);
            baseline.predictedNs = predictor.iterationNs(baseline.strategy, control);
        } else {
            baseline.unknown = "The trace does not support them.";
        }
        return baseline;
    }

    Baseline ofRandomOrders(Predictor &predictor, const BaselineRequest &request,
                            const TimeLeft &timeLeft, const JobControl &control)
    {
        const Strategy &environment = request.environment;
        Baseline baseline {
            "random_order", "Whole tensors in 100 orders by chance: mean of the iterations", {}, {}
        };
        baseline.pass = "tictac";
        const auto withSeed = [&environment](int seed) {
            return Search::with(environment,
                                { { "schedule", std::string("random") },
                                  { "schedule_seed", static_cast<double>(seed) } });
        };
        baseline.unknown = obstacleOf(predictor, withSeed(0), environment);
        std::vector<std::int64_t> timesNs;
        timesNs.reserve(RandomOrders);
        for (int seed = 0; seed < RandomOrders && baseline.unknown.empty(); ++seed) {
            const bool isUp = timeLeft.isUp();
            const auto ns = isUp ? std::nullopt : predictor.iterationNs(withSeed(seed), control);
            if (ns)
                timesNs.push_back(*ns);
            else
                baseline.unknown = isUp ? "The time was up after " + std::to_string(seed) + " of "
                        + std::to_string(RandomOrders) + " orders by chance."
                                        : "The trace does not support them.";
        }
        if (!baseline.unknown.empty())
            return baseline;
        const Baseline summary = summaryOf(std::move(timesNs));
        baseline.predictedNs = summary.predictedNs;
        baseline.p95Ns = summary.p95Ns;
        return baseline;
    }

} // namespace

Baseline summaryOf(std::vector<std::int64_t> timesNs)
{
    std::sort(timesNs.begin(), timesNs.end());
    const std::int64_t sum = std::accumulate(timesNs.begin(), timesNs.end(), std::int64_t { 0 });
    const auto count = static_cast<std::int64_t>(timesNs.size());
    Baseline summary;
    summary.predictedNs = sum / count;
    summary.p95Ns = timesNs[(timesNs.size() * 95 + 99) / 100 - 1];
    return summary;
}

std::vector<Baseline> baselinesOf(Predictor &predictor, const BaselineRequest &request,
                                  const JobControl &control)
{
    const TimeLeft timeLeft(request.seconds);
    std::vector<Baseline> baselines;
    if (request.wantsDefaults) {
        baselines.push_back(byDaydream(predictor, request.environment, control));
        for (const Preset &preset : presets())
            if (preset.isDefault)
                baselines.push_back(ofSystem(preset, predictor, request.environment, control));
    }
    if (request.wantsAutotune)
        baselines.push_back(byAutotune(predictor, request, timeLeft, control));
    if (request.wantsRandomOrders)
        baselines.push_back(ofRandomOrders(predictor, request, timeLeft, control));
    return baselines;
}

} // namespace core
