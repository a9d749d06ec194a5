#include "core/fit/links/link_fit.h"

#include "core/measure/median_deviation.h"
#include "core/measure/robust_mean.h"
#include "core/measure/student_t.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

namespace core {

namespace {

    /// Normal equations of the rows (n, W) / T = 1.
    struct NormalEquations
    {
        double nn = 0, nw = 0, ww = 0, n = 0, w = 0;
    };

    NormalEquations normalEquations(const std::vector<BusyPeriod> &periods,
                                    const std::vector<double> &weights)
    {
        NormalEquations e;
        for (std::size_t i = 0; i < periods.size(); ++i) {
            const double n = periods[i].latencies / periods[i].durationNs;
            const double w = periods[i].bytes / periods[i].durationNs;
            e.nn += weights[i] * n * n;
            e.nw += weights[i] * n * w;
            e.ww += weights[i] * w * w;
            e.n += weights[i] * n;
            e.w += weights[i] * w;
        }
        return e;
    }

    struct Cost
    {
        double alphaNs = 0, betaNsPerByte = 0;

        double errorOf(const BusyPeriod &p) const
        {
            return (p.latencies * alphaNs + p.bytes * betaNsPerByte) / p.durationNs - 1;
        }
    };

    /// All bytes' time by all bytes.
    Cost pooled(const std::vector<BusyPeriod> &periods, const std::vector<double> &weights)
    {
        double ns = 0, bytes = 0;
        for (std::size_t i = 0; i < periods.size(); ++i) {
            ns += weights[i] * periods[i].durationNs;
            bytes += weights[i] * periods[i].bytes;
        }
        return { 0, ns / bytes };
    }

    bool areTold(const NormalEquations &e)
    {
        return e.nn * e.ww - e.nw * e.nw > 1e-6 * e.nn * e.ww;
    }

    /// Either may be negative.
    Cost withAlpha(const std::vector<BusyPeriod> &periods, const std::vector<double> &weights)
    {
        const NormalEquations e = normalEquations(periods, weights);
        if (!areTold(e))
            return pooled(periods, weights);
        const double determinant = e.nn * e.ww - e.nw * e.nw;
        return { (e.n * e.ww - e.w * e.nw) / determinant, (e.w * e.nn - e.n * e.nw) / determinant };
    }

    /// Alpha of bytes that take so long each.
    Cost withBytesAt(double nsPerByte, const std::vector<BusyPeriod> &periods,
                     const std::vector<double> &weights)
    {
        const NormalEquations e = normalEquations(periods, weights);
        return { (e.n - nsPerByte * e.nw) / e.nn, nsPerByte };
    }

    std::vector<double> absoluteErrors(const std::vector<BusyPeriod> &periods, const Cost &cost)
    {
        std::vector<double> errors;
        errors.reserve(periods.size());
        for (const BusyPeriod &p : periods)
            errors.push_back(std::abs(cost.errorOf(p)));
        return errors;
    }

    double medianOf(std::vector<double> values)
    {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

    /// By reweighting until nothing changes (Holland and Welsch, 1977).
    template <typename Fit>
    Cost robust(const std::vector<BusyPeriod> &periods, Fit fit)
    {
        constexpr int MostRounds = 50;
        constexpr double Close = 1e-9;
        std::vector<double> weights(periods.size(), 1);
        Cost cost = fit(periods, weights);
        for (int round = 0; round < MostRounds; ++round) {
            const std::vector<double> errors = absoluteErrors(periods, cost);
            const double most = HuberTuning * DeviationOfMedian * medianOf(errors);
            if (most <= Close)
                break;
            double moved = 0;
            for (std::size_t i = 0; i < weights.size(); ++i) {
                const double weight = std::min(1.0, most / std::max(most, errors[i]));
                moved = std::max(moved, std::abs(weight - weights[i]));
                weights[i] = weight;
            }
            if (moved <= Close)
                break;
            cost = fit(periods, weights);
        }
        return cost;
    }

    /// The variance of one error, with that of the errors beyond `most` as Huber's (1981, 7.6.2).
    double variance(const std::vector<double> &errors, double most, std::size_t parameters)
    {
        const auto n = static_cast<double>(errors.size()), p = static_cast<double>(parameters);
        double squares = 0, inside = 0;
        for (const double error : errors) {
            squares += std::pow(std::min(error, most), 2);
            inside += error <= most ? 1 : 0;
        }
        const double share = inside / n; // at least half
        const double correction = 1 + p / n * (1 - share) / share;
        return std::pow(correction / share, 2) * squares / (n - p);
    }

    /// How far 95 % of a parameter's estimates are from it if it has as much `information`.
    double reach(const std::vector<BusyPeriod> &periods, const Cost &cost, std::size_t parameters,
                 double information)
    {
        const std::vector<double> errors = absoluteErrors(periods, cost);
        const double most = HuberTuning * DeviationOfMedian * medianOf(errors);
        return studentT95(periods.size() - parameters)
            * std::sqrt(variance(errors, most, parameters) / information);
    }

    /// From the fit's errors and, where alpha was fitted too, its covariance with beta. Of
    /// as few periods as parameters there is no error, and nothing is known: 0 to twice beta.
    void setBetaInterval(const std::vector<BusyPeriod> &periods, const NormalEquations &e,
                         LinkModel &model)
    {
        const std::size_t parameters = model.isAlphaFitted ? 2 : 1;
        model.betaLow = 0;
        model.betaHigh = 2 * model.betaNsPerByte;
        if (periods.size() <= parameters)
            return;
        const double information = parameters == 2 ? e.ww - e.nw * e.nw / e.nn : e.ww;
        const double error
            = reach(periods, { model.alphaNs, model.betaNsPerByte }, parameters, information);
        model.betaLow = std::max(0.0, model.betaNsPerByte - error);
        model.betaHigh = model.betaNsPerByte + error;
    }

    /// One of each kind, with its median duration.
    std::vector<BusyPeriod> kindsOf(const std::vector<BusyPeriod> &periods)
    {
        std::map<std::pair<double, double>, std::vector<double>> durations;
        for (const BusyPeriod &p : periods)
            durations[{ p.latencies, p.bytes }].push_back(p.durationNs);
        std::vector<BusyPeriod> kinds;
        kinds.reserve(durations.size());
        for (auto &[kind, ns] : durations)
            kinds.push_back({ medianOf(std::move(ns)), kind.first, kind.second });
        return kinds;
    }

    double alphaReach(const std::vector<BusyPeriod> &periods, const Cost &cost)
    {
        const NormalEquations e = normalEquations(periods, std::vector<double>(periods.size(), 1));
        return reach(periods, cost, 2, e.nn - e.nw * e.nw / e.ww);
    }

    /// No transfer waits longer for its first bytes than it takes beyond the least for all of them.
    double mostAlphaNs(const std::vector<BusyPeriod> &kinds, double leastNsPerByte)
    {
        double mostNs = std::numeric_limits<double>::infinity();
        for (const BusyPeriod &kind : kinds)
            if (kind.latencies > 0)
                mostNs = std::min(mostNs,
                                  (kind.durationNs - kind.bytes * leastNsPerByte) / kind.latencies);
        return mostNs;
    }

    /// By the errors of all periods, and by those of their kinds: a bend of what is no line
    /// is the same each time, and no number of iterations makes it less. Of two kinds nothing tells
    /// of one: 0 to twice alpha, as beta of two periods. Longer than that it is only where the
    /// shortest transfer leaves room for it.
    void setAlphaInterval(const std::vector<BusyPeriod> &periods, const Cost &cost,
                          double leastNsPerByte, LinkModel &model)
    {
        const std::vector<BusyPeriod> kinds = kindsOf(periods);
        model.alphaKinds = kinds.size();
        double reachNs = kinds.size() > 2 ? alphaReach(kinds, cost) : model.alphaNs;
        if (periods.size() > 2)
            reachNs = std::max(reachNs, alphaReach(periods, cost));
        model.alphaLowNs = std::clamp(cost.alphaNs - reachNs, 0.0, model.alphaNs);
        const double mostNs = std::max(2 * model.alphaNs, mostAlphaNs(kinds, leastNsPerByte));
        model.alphaHighNs = std::max(model.alphaNs, std::min(cost.alphaNs + reachNs, mostNs));
    }

} // namespace

void fitCost(const std::vector<BusyPeriod> &periods, double leastNsPerByte, LinkModel &model)
{
    const NormalEquations e = normalEquations(periods, std::vector<double>(periods.size(), 1));
    const Cost bytesOnly = robust(periods, &pooled);
    Cost cost = robust(periods, &withAlpha);
    // Where even all of the time is too little, the bytes are not what is taken to be sent.
    if (areTold(e) && cost.betaNsPerByte < leastNsPerByte
        && bytesOnly.betaNsPerByte >= leastNsPerByte)
        cost = robust(periods, [leastNsPerByte](const auto &rows, const auto &weights) {
            return withBytesAt(leastNsPerByte, rows, weights);
        });
    model.pooledBetaNsPerByte = bytesOnly.betaNsPerByte;
    model.isAlphaFitted = areTold(e) && cost.alphaNs >= 0 && cost.betaNsPerByte > 0;
    model.alphaNs = model.isAlphaFitted ? cost.alphaNs : 0;
    model.betaNsPerByte = (model.isAlphaFitted ? cost : bytesOnly).betaNsPerByte;
    model.medianErrorFraction
        = medianOf(absoluteErrors(periods, { model.alphaNs, model.betaNsPerByte }));
    setBetaInterval(periods, e, model);
    model.alphaLowNs = model.alphaHighNs = model.alphaNs;
    if (areTold(e))
        setAlphaInterval(periods, cost, leastNsPerByte, model);
}

} // namespace core
