#include "core/align/alignment_status.h"

#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace core {

namespace {

    constexpr std::size_t NamedContradictions = 2;
    constexpr std::size_t NamedByHand = 4;
    constexpr int UncertaintyDigits = 2;

    std::string counted(std::size_t count, const std::string &what)
    {
        return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    }

    class StatusText
    {
    public:
        StatusText(const Trace &trace, const AlignmentReport &report, const ClocksByHand &byHand)
            : m_trace(trace)
            , m_report(report)
            , m_byHand(byHand)
        {
        }

        std::string text(const ClockEvidence &evidence,
                         const std::vector<ClockContradiction> &contradictions)
        {
            if (m_trace.workers.size() < 2)
                return "One rank: there is no other clock to align with.";
            addByHand();
            addOneClock();
            addDisprovedHosts(evidence);
            addEvidence(evidence);
            addFarthest();
            addAgreeing();
            addIdentifiable();
            addUnknown();
            addContradictions(contradictions);
            return std::move(m_text);
        }

    private:
        void add(const std::string &sentence) { m_text += (m_text.empty() ? "" : " ") + sentence; }

        std::string rankOf(std::size_t worker) const
        {
            return "rank " + std::to_string(m_trace.workers[worker].rank);
        }

        /// "rank 1", "ranks 1-3", in order; empty if there is none.
        template <class Predicate>
        std::string ranksWith(Predicate isMeant) const
        {
            std::vector<int> ranks; // files come in any order
            for (const Alignment &alignment : m_report.workers)
                if (isMeant(alignment))
                    ranks.push_back(m_trace.workers[alignment.worker.value].rank);
            std::sort(ranks.begin(), ranks.end());
            return ranks.empty() ? std::string() : ranksText(ranks);
        }

        void addByHand()
        {
            for (std::size_t i = 0; i < std::min(m_byHand.size(), NamedByHand); ++i)
                add("Set by hand: " + rankOf(m_byHand[i].worker.value) + "'s clock is "
                    + aheadText(m_byHand[i], 0) + ".");
            if (m_byHand.size() > NamedByHand)
                add("So are " + std::to_string(m_byHand.size() - NamedByHand) + " more.");
        }

        bool isSolved(const Alignment &alignment) const
        {
            return alignment.isKnown && !alignment.isReference
                && !isByHand(m_byHand, alignment.worker);
        }

        /// With as many digits as the uncertainty leaves; 0: all.
        static std::string aheadText(const Alignment &alignment, std::int64_t uncertaintyNs)
        {
            std::string size = offsetText(std::abs(alignment.offsetNs), uncertaintyNs);
            size.erase(0, size.starts_with('+') ? 1 : 0);
            return size + (alignment.offsetNs < 0 ? " ahead" : " behind");
        }

        void addOneClock()
        {
            const std::string ranks = ranksWith([](const Alignment &a) { return isOneClock(a); });
            if (!ranks.empty())
                add("One clock: these ranks are in one file or on one host with the reference, "
                    "without a contradiction: "
                    + ranks + ".");
        }

        static std::string impossibleText(const ClockEvidence &evidence)
        {
            std::string text;
            if (!evidence.collectives.empty())
                text = "leave a collective before others have entered it";
            if (!evidence.messages.empty())
                text += std::string(text.empty() ? "" : " or ")
                    + "receive a message before it was sent";
            return text;
        }

        /// Cause and effect disprove what a host's name says: times of its GPUs differ, or
        /// containers of several machines are named alike.
        void addDisprovedHosts(const ClockEvidence &evidence)
        {
            const auto reference
                = std::find_if(m_report.workers.begin(), m_report.workers.end(),
                               [](const Alignment &alignment) { return alignment.isReference; });
            if (reference == m_report.workers.end())
                return;
            const std::string &host = m_trace.workers[reference->worker.value].host;
            const std::string ranks = ranksWith([&](const Alignment &alignment) {
                return isSolved(alignment) && !alignment.isAsRecorded && !host.empty()
                    && m_trace.workers[alignment.worker.value].host == host;
            });
            if (!ranks.empty())
                add("These ranks were recorded on the reference's host (" + host
                    + "), but were aligned: " + ranks + ". With one clock some would "
                    + impossibleText(evidence)
                    + ". Times of GPUs on one host can be tens of microseconds apart. If it is "
                      "more, several machines have that name.");
        }

        void addEvidence(const ClockEvidence &evidence)
        {
            const auto isAny = [this](auto predicate) {
                return std::any_of(m_report.workers.begin(), m_report.workers.end(),
                                   [&](const Alignment &a) { return isSolved(a) && predicate(a); });
            };
            if (!isAny([](const Alignment &a) { return !isOneClock(a); }))
                return;
            const bool isMoved = isAny([](const Alignment &a) { return !a.isAsRecorded; });
            std::string on;
            if (!evidence.collectives.empty())
                on = counted(evidence.collectives.size(), "collective");
            if (!evidence.messages.empty())
                on += (on.empty() ? "" : " and ") + counted(evidence.messages.size(), "message");
            add((isMoved ? "Clocks aligned on " : "Clocks compared on ") + on + ".");
        }

        void addFarthest()
        {
            const Alignment *farthest = nullptr;
            std::int64_t residualNs = 0;
            for (const Alignment &alignment : m_report.workers) {
                if (!isSolved(alignment))
                    continue;
                residualNs = std::max(residualNs, alignment.residualNs);
                if (!alignment.isAsRecorded
                    && (!farthest || std::abs(alignment.offsetNs) > std::abs(farthest->offsetNs)))
                    farthest = &alignment;
            }
            if (!farthest)
                return;
            // The sign as in tables: of what is added to the rank's times.
            std::array<char, 64> drift {};
            const std::optional<DriftRange> &range = farthest->driftRange;
            if (farthest->driftPpm != 0 && !(range && range->holds(0)))
                std::snprintf(drift.data(), drift.size(), " and runs %s (drift %+.1f ppm)",
                              farthest->driftPpm < 0 ? "fast" : "slow", farthest->driftPpm);
            add("The largest offset is " + rankOf(farthest->worker.value) + "'s: its clock is "
                + aheadText(*farthest, farthest->uncertaintyNs) + ", give or take "
                + durationText(farthest->uncertaintyNs, UncertaintyDigits) + drift.data() + ".");
            if (residualNs > 0)
                add("Ends of matched collectives then differ by " + durationText(residualNs) + ".");
        }

        void addAgreeing()
        {
            std::int64_t uncertaintyNs = 0;
            std::size_t count = 0;
            const std::string ranks = ranksWith([&](const Alignment &alignment) {
                const bool isMeant = alignment.isAsRecorded && !isOneClock(alignment);
                if (isMeant)
                    uncertaintyNs = std::max(uncertaintyNs, alignment.uncertaintyNs);
                count += isMeant ? 1 : 0;
                return isMeant;
            });
            if (!ranks.empty())
                add("Clocks agree within " + std::string(count > 1 ? "at most " : "")
                    + durationText(uncertaintyNs, UncertaintyDigits)
                    + " and stay as recorded: " + ranks + ".");
        }

        /// Below this nothing in the records tells an offset from another.
        void addIdentifiable()
        {
            const Alignment *leastSure = nullptr;
            std::size_t count = 0;
            for (const Alignment &alignment : m_report.workers) {
                if (!isSolved(alignment) || isOneClock(alignment))
                    continue;
                ++count;
                if (!leastSure || alignment.uncertaintyNs > leastSure->uncertaintyNs)
                    leastSure = &alignment;
            }
            if (count > 1 && leastSure->uncertaintyNs > 0)
                add("Offsets are sure to +-"
                    + durationText(leastSure->uncertaintyNs, UncertaintyDigits) + "; "
                    + rankOf(leastSure->worker.value) + "'s is the least sure.");
        }

        void addUnknown()
        {
            const std::string ranks
                = ranksWith([](const Alignment &alignment) { return !alignment.isKnown; });
            if (!ranks.empty())
                add("No synchronising collective and no message ties these ranks to the "
                    "reference. Their offsets are not known: "
                    + ranks + ".");
        }

        void addContradictions(const std::vector<ClockContradiction> &contradictions)
        {
            for (std::size_t i = 0; i < std::min(contradictions.size(), NamedContradictions); ++i) {
                const ClockContradiction &one = contradictions[i];
                add("No clocks satisfy all records: " + rankOf(one.entering.value)
                    + " enters a collective or message " + durationText(one.byNs) + " after "
                    + rankOf(one.leaving.value) + " has left it.");
            }
        }

        const Trace &m_trace;
        const AlignmentReport &m_report;
        const ClocksByHand &m_byHand;
        std::string m_text;
    };

} // namespace

std::string alignmentStatus(const Trace &trace, const AlignmentReport &report,
                            const ClocksByHand &byHand, const ClockEvidence &evidence,
                            const std::vector<ClockContradiction> &contradictions)
{
    return StatusText(trace, report, byHand).text(evidence, contradictions);
}

} // namespace core
