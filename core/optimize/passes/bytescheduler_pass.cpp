#include "core/optimize/passes/bytescheduler_pass.h"

#include "core/base/duration_text.h"
#include "core/optimize/passes/schedule_proposals.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace core {

namespace {

    constexpr PassInfo ByteSchedulerInfo {
        .name = "bytescheduler",
        .title = "ByteScheduler's partitions",
        .hint = "Partition size and credit: a grid, then steps around the best of it",
        .source = "ByteScheduler (Peng et al., SOSP 2019)",
        .isAnotherSystem = true
    };

    /// The defaults first: 1,000,000 parameters, and a credit of four partitions.
    constexpr std::array<std::uint64_t, 5> GridBytes { 4'000'000, 500'000, 1'000'000, 2'000'000,
                                                       8'000'000 };
    constexpr std::array<std::uint64_t, 3> GridPartitions { 4, 1, 16 }; ///< of a credit
    constexpr int MostSteps = 16;

    /// Coordinate descent around the best of the grid, where the paper has Bayesian optimisation:
    /// a replay costs less than what that would save.
    class CreditSearch
    {
    public:
        explicit CreditSearch(Search &search)
            : m_search(search)
            , m_start(search.best())
        {
        }

        void run()
        {
            for (const std::uint64_t bytes : GridBytes)
                for (const std::uint64_t partitions : GridPartitions)
                    propose(bytes, partitions * bytes, EverySize);
            for (int step = 0; m_bestNs && step < MostSteps; ++step)
                if (!improve())
                    return;
        }

    private:
        /// Halfway, in doublings, to each neighbour on the grid.
        bool improve()
        {
            const auto [bytes, credit] = m_best;
            bool isBetter = false;
            for (const auto &[part, whole] : { std::pair(2, 3), std::pair(3, 2) }) {
                const auto scaled = [&, part = part, whole = whole](std::uint64_t size) {
                    return std::max<std::uint64_t>(1, size * part / whole);
                };
                constexpr const char *Reason = "near the best of the grid";
                isBetter = propose(scaled(bytes), credit, Reason) || isBetter;
                isBetter = propose(bytes, scaled(credit), Reason) || isBetter;
            }
            return isBetter;
        }

        bool propose(std::uint64_t bytes, std::uint64_t credit, const char *reason)
        {
            const auto ns = proposeSchedule(m_search, m_start, { "bytescheduler", bytes, credit },
                                            "ByteScheduler with partitions of " + bytesText(bytes)
                                                + " and a credit of " + bytesText(credit),
                                            reason);
            if (!ns || (m_bestNs && *ns >= *m_bestNs))
                return false;
            m_bestNs = ns;
            m_best = { bytes, credit };
            return true;
        }

        Search &m_search;
        Strategy m_start;
        std::optional<std::int64_t> m_bestNs;
        std::pair<std::uint64_t, std::uint64_t> m_best; ///< bytes, credit
    };

    class ByteSchedulerPass : public Pass
    {
    public:
        const PassInfo &info() const override { return ByteSchedulerInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            return scheduleObstacle(search, "bytescheduler");
        }

        void run(Search &search) const override { CreditSearch(search).run(); }
    };

} // namespace

std::unique_ptr<const Pass> byteSchedulerPass()
{
    return std::make_unique<ByteSchedulerPass>();
}

} // namespace core
