#include "core/align/clock_groups.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace core {

namespace {

    constexpr double AgreementNoiseNs = 1000;

    struct Member
    {
        ClockOffset *clock = nullptr;
        Reach reach;
    };

    double moveTo(std::int64_t offsetNs, const Member &member)
    {
        return static_cast<double>(offsetNs) - static_cast<double>(member.clock->offsetNs);
    }

    /// By cause and effect.
    bool allows(const Member &member, std::int64_t offsetNs)
    {
        const double move = moveTo(offsetNs, member);
        return member.clock->driftPpm == 0 && -move <= member.reach.downNs + AgreementNoiseNs
            && move <= member.reach.upNs + AgreementNoiseNs;
    }

    bool holds(const Member &member, std::int64_t offsetNs)
    {
        return allows(member, offsetNs)
            && std::abs(moveTo(offsetNs, member))
            <= static_cast<double>(member.clock->uncertaintyNs);
    }

    /// Mean of the offsets, the surer the heavier.
    std::int64_t commonOffset(const std::vector<Member> &members)
    {
        double total = 0, sum = 0;
        const std::int64_t first = members.front().clock->offsetNs;
        for (const Member &member : members) {
            const double reach
                = static_cast<double>(member.clock->uncertaintyNs) + AgreementNoiseNs;
            total += 1 / (reach * reach);
            sum += (static_cast<double>(member.clock->offsetNs) - static_cast<double>(first))
                / (reach * reach);
        }
        return first + std::llround(sum / total);
    }

    /// The clock may still be wherever its own interval and cause and effect let it be.
    std::int64_t uncertaintyAt(std::int64_t offsetNs, const Member &member)
    {
        const auto own = static_cast<double>(member.clock->uncertaintyNs);
        const auto move = static_cast<double>(offsetNs - member.clock->offsetNs);
        if (member.clock->driftRange) // what bounds an offset while the drift stays, does not here
            return std::llround(own + std::abs(move));
        const double up = std::min(own, member.reach.upNs + AgreementNoiseNs) - move;
        const double down = std::min(own, member.reach.downNs + AgreementNoiseNs) + move;
        return std::llround(std::max({ AgreementNoiseNs, up, down }));
    }

    void setAll(const std::vector<Member> &members, std::int64_t offsetNs)
    {
        for (const Member &member : members) {
            member.clock->uncertaintyNs = uncertaintyAt(offsetNs, member);
            member.clock->offsetNs = offsetNs;
            member.clock->isAsRecorded = offsetNs == 0;
        }
    }

    bool allHold(const std::vector<Member> &members, std::int64_t offsetNs)
    {
        return std::all_of(members.begin(), members.end(),
                           [offsetNs](const Member &member) { return holds(member, offsetNs); });
    }

    /// Only what is impossible disproves that a host has one clock: ends may be apart for another
    /// reason. Then that they are stays in the interval.
    void joinReferenceHost(const Member &member)
    {
        const bool isWithin = holds(member, 0);
        if (!isWithin && (member.reach.isContradicted || !allows(member, 0)))
            return;
        setAll({ member }, 0);
        if (!isWithin)
            return;
        member.clock->uncertaintyNs = 0;
        member.clock->driftRange.reset();
    }

    using Clocks = std::vector<std::optional<ClockOffset>>;

    void joinByHost(const std::vector<std::string> &hosts, std::size_t reference,
                    const std::vector<Reach> &reach, Clocks &clocks)
    {
        std::map<std::string, std::vector<Member>> byHost;
        for (std::size_t w = 0; w < clocks.size(); ++w) {
            if (!clocks[w] || w == reference)
                continue;
            const Member member { &*clocks[w], reach[w] };
            if (!hosts[w].empty() && hosts[w] != hosts[reference])
                byHost[hosts[w]].push_back(member);
            else if (!hosts[w].empty())
                joinReferenceHost(member);
            else if (holds(member, 0))
                setAll({ member }, 0);
        }
        for (const auto &[host, members] : byHost) {
            const std::int64_t common = commonOffset(members);
            if (allHold(members, 0))
                setAll(members, 0);
            else if (allHold(members, common))
                setAll(members, common);
        }
    }

    /// Takes back what was joined of the two workers of a bound, and of all of their hosts'.
    class Separation
    {
    public:
        Separation(const std::vector<std::string> &hosts, std::size_t reference,
                   const Clocks &before)
            : m_hosts(hosts)
            , m_reference(reference)
            , m_before(before)
        {
        }

        bool breaks(const ClockBound &bound, const Clocks &clocks) const
        {
            ClockBound now = bound;
            now.boundNs += movedNs(bound.j, clocks) - movedNs(bound.i, clocks);
            return !bound.isBroken() && now.isBroken();
        }

        void apply(const ClockBound &bound, Clocks &clocks) const
        {
            for (std::size_t w = 0; w < clocks.size(); ++w)
                if (w == bound.i || w == bound.j || isMate(w, bound.i) || isMate(w, bound.j))
                    clocks[w] = m_before[w];
        }

    private:
        double movedNs(std::size_t worker, const Clocks &clocks) const
        {
            return static_cast<double>(clocks[worker]->offsetNs - m_before[worker]->offsetNs);
        }

        bool isMate(std::size_t a, std::size_t b) const
        {
            return !m_hosts[a].empty() && m_hosts[a] == m_hosts[b]
                && m_hosts[a] != m_hosts[m_reference];
        }

        const std::vector<std::string> &m_hosts;
        std::size_t m_reference;
        const Clocks &m_before;
    };

} // namespace

void joinEqualClocks(const std::vector<std::string> &hosts, std::size_t reference,
                     const std::vector<ClockBound> &bounds,
                     std::vector<std::optional<ClockOffset>> &clocks)
{
    const Clocks before = clocks;
    joinByHost(hosts, reference, reachOf(bounds, clocks.size(), reference), clocks);
    const Separation separation(hosts, reference, before);
    const auto isBreaking
        = [&](const ClockBound &bound) { return separation.breaks(bound, clocks); };
    // Each turn separates one more worker at least: what is separated breaks nothing.
    for (auto broken = std::find_if(bounds.begin(), bounds.end(), isBreaking);
         broken != bounds.end(); broken = std::find_if(bounds.begin(), bounds.end(), isBreaking))
        separation.apply(*broken, clocks);
}

} // namespace core
