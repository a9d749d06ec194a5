#include "core/analyze/groups/group_calls.h"

#include "core/base/duration_text.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    struct When
    {
        Phase phase;
        const char *words;
        double GroupUse::Calls::*mean;
    };
    constexpr std::array Whens = {
        When { Phase::Forward, " in the forward pass", &GroupUse::Calls::forward },
        When { Phase::Backward, " in the backward pass", &GroupUse::Calls::backward },
        When { Phase::Optimizer, " in the optimizer", &GroupUse::Calls::optimizer },
        When { Phase::None, "", &GroupUse::Calls::other },
    };

    void append(std::string &list, const char *separator, const std::string &text)
    {
        list += (list.empty() ? "" : separator) + text;
    }

} // namespace

void GroupCalls::add(const std::string &kind, Phase when, WorkerId worker, std::size_t step)
{
    const bool isNamed = std::any_of(Whens.begin(), Whens.end(),
                                     [when](const When &named) { return named.phase == when; });
    ++m_counts[kind][isNamed ? when : Phase::None][{ step, worker }];
}

std::map<std::string, GroupUse::Calls> GroupCalls::means(std::size_t rankSteps) const
{
    std::map<std::string, GroupUse::Calls> means;
    for (const auto &[kind, byPhase] : m_counts)
        for (const When &when : Whens)
            if (const auto counts = byPhase.find(when.phase); counts != byPhase.end())
                for (const auto &[key, count] : counts->second)
                    means[kind].*when.mean
                        += static_cast<double>(count) / static_cast<double>(rankSteps);
    return means;
}

std::string GroupCalls::text(std::size_t steps, const std::string &each) const
{
    std::string always, sometimes;
    for (const auto &[kind, byPhase] : m_counts)
        for (const When &when : Whens) {
            const auto counts = byPhase.find(when.phase);
            if (counts == byPhase.end())
                continue;
            std::size_t least = counts->second.begin()->second, most = least, present = 0;
            std::size_t last = steps; // keys are sorted by step
            for (const auto &[key, count] : counts->second) {
                least = std::min(least, count);
                most = std::max(most, count);
                present += key.first != last ? 1U : 0U;
                last = key.first;
            }
            const std::string calls = std::to_string(least)
                + (most > least ? " to " + std::to_string(most) : "") + " " + kind
                + (when.phase == Phase::None && byPhase.size() > 1 ? " elsewhere" : when.words);
            if (present >= steps)
                append(always, ", ", calls);
            else
                append(sometimes, "; ",
                       calls + " in " + std::to_string(present) + " of "
                           + countText(steps, "step"));
        }
    if (!always.empty())
        always += each;
    if (!sometimes.empty())
        append(always, "; ", sometimes);
    return always;
}

} // namespace core
