#include "core/align/sequence_matching.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace core {

namespace {

    using Match = std::vector<std::optional<std::size_t>>;

    constexpr std::int64_t ExtraShift = 64; ///< calls that one side may lack beyond the difference
                                            ///< in number
    constexpr std::int64_t LargestShift = 4096;
    constexpr std::size_t SampledPairs = 512; ///< of a long sequence, to judge a shift
    constexpr std::size_t CandidatesPerClass = 3, CandidatesInAll = 6;
    constexpr std::int64_t LargestBand = 32 << 20; ///< cells of an alignment (9 bytes each)
    constexpr double SmallestScaleNs = 100e3; ///< ends of a collective differ by some 10 us

    /// An offset between two clocks (other - reference) that a shift proposes.
    struct Candidate
    {
        std::int64_t offsetNs = 0;
        std::int64_t shift = 0; ///< row in reference - row in other
        std::size_t overlap = 0; ///< pairs of the shift
        double spreadNs = 0; ///< width of the densest 40 % of the end differences
        double cost = 0; ///< per call, 0 .. 1: calls without partner, and pairs off the offset
        std::vector<std::int64_t> differences; ///< of (sampled) pairs, sorted
    };

    /// The middle and the width of the narrowest window that holds 40 % of the differences: a
    /// location that more than half of them may miss.
    void findDensestPart(Candidate &candidate)
    {
        std::vector<std::int64_t> &values = candidate.differences;
        std::sort(values.begin(), values.end());
        const std::size_t held = std::max<std::size_t>(1, (values.size() * 2 + 4) / 5);
        std::size_t best = 0;
        for (std::size_t i = 0; i + held <= values.size(); ++i)
            if (values[i + held - 1] - values[i] < values[best + held - 1] - values[best])
                best = i;
        candidate.offsetNs = values[best + held / 2];
        candidate.spreadNs = static_cast<double>(values[best + held - 1] - values[best]);
    }

    /// What shift `shift` (row in reference - row in other) proposes; empty where too few calls
    /// overlap.
    std::optional<Candidate> proposal(const CallSequence &reference, const CallSequence &other,
                                      std::int64_t shift)
    {
        const auto n = static_cast<std::int64_t>(reference.size());
        const auto m = static_cast<std::int64_t>(other.size());
        const std::int64_t begin = std::max<std::int64_t>(0, -shift);
        const std::int64_t end = std::min(m, n - shift);
        if (end - begin < std::max<std::int64_t>(1, std::min(n, m) / 2))
            return std::nullopt;
        Candidate candidate;
        candidate.shift = shift;
        candidate.overlap = static_cast<std::size_t>(end - begin);
        const std::int64_t stride
            = std::max<std::int64_t>(1, (end - begin) / static_cast<std::int64_t>(SampledPairs));
        for (std::int64_t i = begin; i < end; i += stride)
            candidate.differences.push_back(other[static_cast<std::size_t>(i)].endNs
                                            - reference[static_cast<std::size_t>(i + shift)].endNs);
        findDensestPart(candidate);
        return candidate;
    }

    double distanceCost(std::int64_t differenceNs, std::int64_t offsetNs, double scaleNs)
    {
        return std::min(1.0, distanceNs(differenceNs, offsetNs) / scaleNs);
    }

    /// Far off the offset all pairs cost the same, but for this: the nearest is the likeliest.
    constexpr double TieBreak = 1e-3, TieScaleNs = 1e9;
    constexpr double ImpossiblePair = 3; ///< more than leaving both calls alone

    double tieCost(std::int64_t differenceNs, std::int64_t offsetNs)
    {
        const double distance = distanceNs(differenceNs, offsetNs);
        return TieBreak * distance / (distance + TieScaleNs);
    }

    /// Cost of the whole shift, from its sampled pairs.
    double shiftCost(const Candidate &candidate, std::size_t calls, double scaleNs)
    {
        double cost = 0;
        for (const std::int64_t difference : candidate.differences)
            cost += distanceCost(difference, candidate.offsetNs, scaleNs);
        const double pairCost = cost / static_cast<double>(candidate.differences.size());
        return (static_cast<double>(calls - 2 * candidate.overlap)
                + pairCost * static_cast<double>(candidate.overlap))
            / static_cast<double>(calls);
    }

    /// How far ends of one collective lie apart: the tightest spread of a shift in which most calls
    /// take part (of two or three pairs, some agree by chance).
    double endScaleNs(const std::vector<Candidate> &candidates, std::size_t shorter)
    {
        double tightestNs = std::numeric_limits<double>::infinity();
        for (const Candidate &candidate : candidates)
            if (candidate.overlap * 5 >= shorter * 4)
                tightestNs = std::min(tightestNs, candidate.spreadNs);
        return std::isinf(tightestNs) ? SmallestScaleNs : std::max(SmallestScaleNs, 5 * tightestNs);
    }

    /// The shifts of one class worth trying, cheapest first; the class's scale is added to
    /// `scalesNs`.
    std::vector<Candidate> candidatesOf(const CallSequence &reference, const CallSequence &other,
                                        const std::optional<OffsetWindow> &window,
                                        std::vector<double> &scalesNs)
    {
        const auto difference
            = static_cast<std::int64_t>(reference.size()) - static_cast<std::int64_t>(other.size());
        const std::int64_t reach = std::min(LargestShift, std::abs(difference) + ExtraShift);
        std::vector<Candidate> candidates;
        for (std::int64_t shift = -reach; shift <= reach; ++shift)
            if (auto candidate = proposal(reference, other, shift);
                candidate && (!window || window->contains(candidate->offsetNs)))
                candidates.push_back(std::move(*candidate));
        if (candidates.empty())
            return candidates;
        const double ownScaleNs = endScaleNs(candidates, std::min(reference.size(), other.size()));
        scalesNs.push_back(ownScaleNs);
        for (Candidate &candidate : candidates)
            candidate.cost = shiftCost(candidate, reference.size() + other.size(), ownScaleNs);
        std::stable_sort(
            candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
                return a.cost != b.cost ? a.cost < b.cost : std::abs(a.shift) < std::abs(b.shift);
            });
        if (candidates.size() > CandidatesPerClass)
            candidates.resize(CandidatesPerClass);
        return candidates;
    }

    /// Needleman-Wunsch alignment of two sequences near one offset, in a band around the diagonal
    /// of the shift that fits the offset.
    class BandAlignment
    {
    public:
        BandAlignment(const CallSequence &reference, const CallSequence &other,
                      const Candidate &candidate, const std::optional<OffsetWindow> &window,
                      double scaleNs)
            : m_reference(reference)
            , m_other(other)
            , m_window(window)
            , m_offsetNs(candidate.offsetNs)
            , m_scaleNs(scaleNs)
            , m_first(firstDiagonal(reference, other, candidate))
            , m_width(lastDiagonal(reference, other, candidate) - m_first + 1)
        {
            fill();
        }

        static std::int64_t cells(const CallSequence &reference, const CallSequence &other,
                                  const Candidate &candidate)
        {
            return (static_cast<std::int64_t>(other.size()) + 1)
                * (lastDiagonal(reference, other, candidate)
                   - firstDiagonal(reference, other, candidate) + 1);
        }

        double cost() const { return m_cost[cell(rows(), columns())]; }

        Match match() const
        {
            Match match(m_other.size());
            std::int64_t row = rows(), column = columns();
            while (row > 0 && column > 0) {
                const Step step = m_step[cell(row, column)];
                if (step == Step::Pair) {
                    --row, --column;
                    match[static_cast<std::size_t>(column)] = static_cast<std::size_t>(row);
                } else if (step == Step::SkipReference) {
                    --row;
                } else {
                    --column;
                }
            }
            return match;
        }

    private:
        enum class Step : std::uint8_t { Pair, SkipReference, SkipOther };

        std::int64_t rows() const { return static_cast<std::int64_t>(m_reference.size()); }
        std::int64_t columns() const { return static_cast<std::int64_t>(m_other.size()); }
        static std::int64_t lengthDifference(const CallSequence &a, const CallSequence &b)
        {
            return static_cast<std::int64_t>(a.size()) - static_cast<std::int64_t>(b.size());
        }
        /// The band holds both ends of the alignment (0, 0) and (rows, columns), and the shift.
        static std::int64_t firstDiagonal(const CallSequence &a, const CallSequence &b,
                                          const Candidate &c)
        {
            return std::min({ c.shift, std::int64_t { 0 }, lengthDifference(a, b) })
                - ExtraShift / 2;
        }
        static std::int64_t lastDiagonal(const CallSequence &a, const CallSequence &b,
                                         const Candidate &c)
        {
            return std::max({ c.shift, std::int64_t { 0 }, lengthDifference(a, b) })
                + ExtraShift / 2;
        }
        bool isInBand(std::int64_t row, std::int64_t column) const
        {
            const std::int64_t diagonal = row - column - m_first;
            return row >= 0 && column >= 0 && row <= rows() && diagonal >= 0 && diagonal < m_width;
        }
        std::size_t cell(std::int64_t row, std::int64_t column) const
        {
            return static_cast<std::size_t>(column * m_width + (row - column - m_first));
        }
        double costAt(std::int64_t row, std::int64_t column) const
        {
            return isInBand(row, column) ? m_cost[cell(row, column)]
                                         : std::numeric_limits<double>::infinity();
        }
        /// Cheaper than to leave both calls alone, unless they cannot be of one step.
        double pairCost(std::int64_t row, std::int64_t column) const
        {
            const std::int64_t differenceNs = m_other[static_cast<std::size_t>(column)].endNs
                - m_reference[static_cast<std::size_t>(row)].endNs;
            if (m_window && !m_window->contains(differenceNs))
                return ImpossiblePair;
            return distanceCost(differenceNs, m_offsetNs, m_scaleNs)
                + tieCost(differenceNs, m_offsetNs);
        }
        void fill()
        {
            const auto cells = static_cast<std::size_t>((columns() + 1) * m_width);
            m_cost.assign(cells, std::numeric_limits<double>::infinity());
            m_step.assign(cells, Step::SkipOther);
            for (std::int64_t column = 0; column <= columns(); ++column) {
                const std::int64_t firstRow = std::max<std::int64_t>(0, column + m_first);
                const std::int64_t lastRow = std::min(rows(), column + m_first + m_width - 1);
                for (std::int64_t row = firstRow; row <= lastRow; ++row)
                    fillCell(row, column);
            }
        }
        void fillCell(std::int64_t row, std::int64_t column)
        {
            const std::size_t here = cell(row, column);
            if (row == 0 && column == 0) {
                m_cost[here] = 0;
                return;
            }
            const auto offer = [this, here](double cost, Step step) {
                if (cost < m_cost[here]) {
                    m_cost[here] = cost;
                    m_step[here] = step;
                }
            };
            if (row > 0 && column > 0)
                offer(costAt(row - 1, column - 1) + pairCost(row - 1, column - 1), Step::Pair);
            offer(costAt(row - 1, column) + 1, Step::SkipReference);
            offer(costAt(row, column - 1) + 1, Step::SkipOther);
        }

        const CallSequence &m_reference;
        const CallSequence &m_other;
        const std::optional<OffsetWindow> &m_window;
        std::int64_t m_offsetNs;
        double m_scaleNs;
        std::int64_t m_first, m_width; ///< diagonals (row - column) of the band
        std::vector<double> m_cost;
        std::vector<Step> m_step;
    };

    /// The shift of one class that comes nearest to an offset which another class proposed.
    Candidate inClass(const CallSequence &reference, const CallSequence &other, Candidate candidate)
    {
        candidate.shift = 0;
        if (reference.empty() || other.empty())
            return candidate;
        const std::size_t middle = other.size() / 2;
        const double wantedNs
            = static_cast<double>(other[middle].endNs) - static_cast<double>(candidate.offsetNs);
        const auto near = std::lower_bound(
            reference.begin(), reference.end(), wantedNs,
            [](const TimedCall &call, double ns) { return static_cast<double>(call.endNs) < ns; });
        candidate.shift = (near - reference.begin()) - static_cast<std::int64_t>(middle);
        candidate.shift = std::clamp(candidate.shift, -LargestShift, LargestShift);
        return candidate;
    }

    struct Aligned
    {
        double cost = 0;
        Match match;
    };

    /// Pairs row i of `other` with row i + shift of `reference`: for sequences too long for a band.
    Aligned shifted(const CallSequence &reference, const CallSequence &other, std::int64_t shift,
                    const std::optional<OffsetWindow> &window)
    {
        Aligned aligned;
        aligned.match.resize(other.size());
        std::size_t pairs = 0;
        for (std::size_t i = 0; i < other.size(); ++i) {
            const std::int64_t row = static_cast<std::int64_t>(i) + shift;
            if (row < 0 || row >= static_cast<std::int64_t>(reference.size()))
                continue;
            const std::int64_t differenceNs
                = other[i].endNs - reference[static_cast<std::size_t>(row)].endNs;
            if (!window || window->contains(differenceNs)) {
                aligned.match[i] = static_cast<std::size_t>(row);
                ++pairs;
            }
        }
        aligned.cost = static_cast<double>(reference.size() + other.size() - 2 * pairs);
        return aligned;
    }

    Aligned alignClass(const CallSequence &reference, const CallSequence &other,
                       const Candidate &proposal, const std::optional<OffsetWindow> &window,
                       double scaleNs)
    {
        if (reference.empty() || other.empty())
            return { static_cast<double>(reference.size() + other.size()), Match(other.size()) };
        const Candidate candidate = inClass(reference, other, proposal);
        if (BandAlignment::cells(reference, other, candidate) > LargestBand)
            return shifted(reference, other, candidate.shift, window);
        const BandAlignment alignment(reference, other, candidate, window, scaleNs);
        return { alignment.cost(), alignment.match() };
    }

    /// Candidates of all classes, cheapest first, those of equal offset once.
    std::vector<Candidate> pooledCandidates(const std::vector<CallSequence> &reference,
                                            const std::vector<CallSequence> &other,
                                            const std::optional<OffsetWindow> &window,
                                            double &scaleNs)
    {
        std::vector<Candidate> pool;
        std::vector<double> scalesNs;
        for (std::size_t i = 0; i < reference.size(); ++i) {
            std::vector<Candidate> own = candidatesOf(reference[i], other[i], window, scalesNs);
            std::move(own.begin(), own.end(), std::back_inserter(pool));
        }
        // The tightest class of many is tight by chance; with its scale all others would count as
        // far off, whatever the offset.
        if (!scalesNs.empty()) {
            const auto middle = scalesNs.begin() + static_cast<std::ptrdiff_t>(scalesNs.size() / 2);
            std::nth_element(scalesNs.begin(), middle, scalesNs.end());
            scaleNs = *middle;
        }
        std::stable_sort(pool.begin(), pool.end(),
                         [](const Candidate &a, const Candidate &b) { return a.cost < b.cost; });
        std::vector<Candidate> distinct;
        for (Candidate &candidate : pool) {
            const bool isNew
                = std::none_of(distinct.begin(), distinct.end(), [&candidate](const Candidate &d) {
                      return distanceNs(d.offsetNs, candidate.offsetNs) < SmallestScaleNs / 2;
                  });
            if (isNew && distinct.size() < CandidatesInAll)
                distinct.push_back(std::move(candidate));
        }
        if (distinct.empty() && window) {
            distinct.emplace_back().offsetNs = window->middleNs;
            scaleNs = std::max(scaleNs, static_cast<double>(window->reachNs));
        }
        return distinct;
    }

} // namespace

std::vector<Match> matchSequences(const std::vector<CallSequence> &reference,
                                  const std::vector<CallSequence> &other,
                                  const std::optional<OffsetWindow> &window)
{
    double scaleNs = SmallestScaleNs;
    const std::vector<Candidate> candidates = pooledCandidates(reference, other, window, scaleNs);
    std::vector<Match> best;
    best.reserve(other.size());
    for (const CallSequence &sequence : other)
        best.emplace_back(sequence.size());

    double bestCost = std::numeric_limits<double>::infinity();
    for (const Candidate &candidate : candidates) {
        double cost = 0;
        std::vector<Match> matches;
        for (std::size_t i = 0; i < reference.size(); ++i) {
            Aligned aligned = alignClass(reference[i], other[i], candidate, window, scaleNs);
            cost += aligned.cost;
            matches.push_back(std::move(aligned.match));
        }
        if (cost < bestCost) {
            bestCost = cost;
            best = std::move(matches);
        }
    }
    return best;
}

} // namespace core
