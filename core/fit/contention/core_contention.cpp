#include "core/fit/contention/core_contention.h"

#include "core/fit/links/link_models.h"
#include "core/measure/framework_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>

namespace core {

namespace {

    constexpr double PriorOfPair = std::numbers::ln2; ///< standard deviation: two on one core
    constexpr double PriorOfLink = 1; ///< a whole core on communication; see LargestSlowdown

    /// The x, none negative, with the least x'Ax / 2 - b'x for a symmetric, positive definite A,
    /// [n x n]: coordinate descent, which converges to it (Franc, Hlavac and Navara, CAIP 2005).
    std::vector<double> leastNonNegative(const std::vector<double> &a, const std::vector<double> &b)
    {
        constexpr int MostSweeps = 1000;
        constexpr double Close = 1e-9;
        const std::size_t n = b.size();
        std::vector<double> x(n, 0);
        double moved = 1;
        for (int sweep = 0; sweep < MostSweeps && moved > Close; ++sweep) {
            moved = 0;
            for (std::size_t i = 0; i < n; ++i) {
                double rest = b[i];
                for (std::size_t j = 0; j < n; ++j)
                    rest -= a[i * n + j] * x[j];
                const double next = std::max(0.0, x[i] + rest / a[i * n + i]);
                moved = std::max(moved, std::abs(next - x[i]));
                x[i] = next;
            }
        }
        return x;
    }

    /// A regressor of an op and its value.
    using Term = std::pair<std::size_t, double>;

    /// Sums of a regression within families, whose means are taken out at the end.
    class FamilyRegression
    {
    public:
        using Family = std::tuple<std::size_t, NameId, std::uint64_t>; ///< worker, name, bytes

        explicit FamilyRegression(std::size_t unknowns)
            : m_xx(unknowns * unknowns)
            , m_xy(unknowns)
        {
        }

        void add(const Family &family, const std::vector<Term> &terms, double y, double weight)
        {
            Means &means = m_families[family];
            means.weight += weight;
            means.y += weight * y;
            for (const auto &[i, x] : terms) {
                means.x[i] += weight * x;
                m_xy[i] += weight * x * y;
                for (const auto &[j, other] : terms)
                    m_xx[i * m_xy.size() + j] += weight * x * other;
            }
            m_yy += weight * y * y;
            m_weight += weight;
            m_squaredWeights += weight * weight;
        }

        /// `prior`: standard deviations of the unknowns around 0. All 0 without any scatter.
        std::vector<double> solve(const std::vector<double> &prior)
        {
            takeOutMeans();
            const double scatter = m_weight > 0 ? m_yy / m_weight : 0;
            if (scatter <= 1e-12)
                return std::vector<double>(prior.size(), 0);
            // As many ops of equal weight would tell as much.
            const double samples = m_weight * m_weight / m_squaredWeights;
            const double precision = samples / m_weight / scatter;
            for (double &v : m_xx)
                v *= precision;
            for (double &v : m_xy)
                v *= precision;
            for (std::size_t i = 0; i < prior.size(); ++i)
                m_xx[i * prior.size() + i] += 1 / (prior[i] * prior[i]);
            return leastNonNegative(m_xx, m_xy);
        }

    private:
        struct Means
        {
            double weight = 0, y = 0;
            std::map<std::size_t, double> x;
        };

        void takeOutMeans()
        {
            for (const auto &[family, means] : m_families) {
                m_yy -= means.y * means.y / means.weight;
                for (const auto &[i, x] : means.x) {
                    m_xy[i] -= x * means.y / means.weight;
                    for (const auto &[j, other] : means.x)
                        m_xx[i * m_xy.size() + j] -= x * other / means.weight;
                }
            }
        }

        std::vector<double> m_xx, m_xy;
        std::map<Family, Means> m_families;
        double m_yy = 0, m_weight = 0, m_squaredWeights = 0;
    };

    bool areOnDifferentHosts(const Trace &trace, std::size_t a, std::size_t b)
    {
        const std::string &host = trace.workers[a].host, &other = trace.workers[b].host;
        return !host.empty() && !other.empty() && host != other;
    }

    class ContentionFit
    {
    public:
        ContentionFit(const Graph &graph, const Trace &trace, const FrameworkTimes &times)
            : m_trace(trace)
            , m_times(times)
            , m_link(linkTimes(graph, *interferingHostLink(graph)))
            , m_ranks(trace.workers.size())
            , m_pairs(m_ranks * (m_ranks - 1) / 2)
            , m_regression(m_pairs + 1)
        {
        }

        CoreContention fit(const JobControl &control)
        {
            for (const Track &track : m_trace.tracks)
                if (track.kind == TrackKind::HostThread)
                    addTrack(track, control);
            std::vector<double> prior(m_pairs, PriorOfPair);
            prior.push_back(PriorOfLink);
            const std::vector<double> found = m_regression.solve(prior);
            CoreContention contention { m_ranks, std::vector<double>(m_ranks * m_ranks, 0) };
            for (std::size_t a = 0; a < m_ranks; ++a)
                for (std::size_t b = 0; b < m_ranks; ++b)
                    if (a != b)
                        contention.cost[a * m_ranks + b] = found[pairOf(a, b)];
            return contention;
        }

    private:
        std::size_t pairOf(std::size_t a, std::size_t b) const
        {
            const auto [less, more] = std::minmax(a, b);
            return more * (more - 1) / 2 + less;
        }

        void addTrack(const Track &track, const JobControl &control)
        {
            const SliceColumns &slices = m_trace.slices[track.id.value];
            FrameworkTimes::Reader others(m_times, track.worker.value);
            BusyTimes::Place onLink = 0;
            visitFrameworkOps(
                m_trace, slices, 0, std::numeric_limits<std::int64_t>::max(), [&](std::size_t row) {
                    throwIfCancelled(control);
                    if (slices.durationNs[row] < ShortestFrameworkSampleNs)
                        return;
                    const TimeRange range = alignedRange(track.worker, slices, row);
                    if (range.isEmpty())
                        return;
                    addOp({ track.worker.value, slices.name[row], slices.bytes[row] }, range,
                          others.sharesOf(range), m_link.shareOf(range, onLink));
                });
        }

        TimeRange alignedRange(WorkerId worker, const SliceColumns &slices, std::size_t row) const
        {
            return { m_trace.toAligned(worker, slices.startNs[row]),
                     m_trace.toAligned(worker, slices.endNs(row)) };
        }

        void addOp(const FamilyRegression::Family &family, const TimeRange &range,
                   const std::vector<double> &shares, double onLink)
        {
            const std::size_t worker = std::get<0>(family);
            m_terms = { { m_pairs, onLink } };
            for (std::size_t other = 0; other < m_ranks; ++other)
                if (shares[other] > 0 && !areOnDifferentHosts(m_trace, worker, other))
                    m_terms.emplace_back(pairOf(worker, other), shares[other]);
            const auto ns = static_cast<double>(range.durationNs());
            m_regression.add(family, m_terms, std::log(ns), ns);
        }

        const Trace &m_trace;
        const FrameworkTimes &m_times;
        BusyTimes m_link;
        std::size_t m_ranks, m_pairs;
        FamilyRegression m_regression; ///< the link's slowdown is the last unknown
        std::vector<Term> m_terms; ///< of the op that is added
    };

} // namespace

FrameworkTimes::FrameworkTimes(const Trace &trace, const JobControl &control)
{
    std::vector<std::vector<TimeRange>> times(trace.workers.size());
    for (const Track &track : trace.tracks) {
        if (track.kind != TrackKind::HostThread)
            continue;
        throwIfCancelled(control);
        const SliceColumns &slices = trace.slices[track.id.value];
        visitFrameworkOps(trace, slices, 0, std::numeric_limits<std::int64_t>::max(),
                          [&](std::size_t row) {
                              times[track.worker.value].push_back(
                                  { trace.toAligned(track.worker, slices.startNs[row]),
                                    trace.toAligned(track.worker, slices.endNs(row)) });
                          });
    }
    m_busy.reserve(times.size());
    for (std::vector<TimeRange> &own : times)
        m_busy.emplace_back(std::move(own));
}

FrameworkTimes::Reader::Reader(const FrameworkTimes &times, std::size_t worker)
    : m_busy(times.m_busy)
    , m_worker(worker)
    , m_places(times.m_busy.size(), 0)
    , m_shares(times.m_busy.size(), 0)
{
}

const std::vector<double> &FrameworkTimes::Reader::sharesOf(const TimeRange &range)
{
    for (std::size_t other = 0; other < m_shares.size(); ++other)
        if (other != m_worker)
            m_shares[other] = m_busy[other].shareOf(range, m_places[other]);
    return m_shares;
}

CoreContention fitCoreContention(const Graph &graph, const Trace &trace,
                                 const FrameworkTimes &times, const JobControl &control)
{
    return ContentionFit(graph, trace, times).fit(control);
}

} // namespace core
