#include "core/optimize/ablation.h"

#include "core/base/duration_text.h"
#include "core/change/change_list.h"

#include <algorithm>
#include <chrono>

namespace core {

namespace {

    bool contains(const Strategy &strategy, const Change &change)
    {
        return std::find(strategy.changes.begin(), strategy.changes.end(), change)
            != strategy.changes.end();
    }

} // namespace

std::vector<StrategyPart> ablation(Predictor &predictor, const Strategy &environment,
                                   const Strategy &strategy, double seconds,
                                   const JobControl &control)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto isTimeLeft = [begin, seconds] {
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        return elapsed.count() < seconds;
    };
    std::vector<StrategyPart> parts;
    for (const auto &kind : changeKinds()) {
        StrategyPart part;
        Strategy rest = strategy;
        std::erase_if(rest.changes, [&](const Change &change) {
            if (kindOf(change.key) != kind.get() || contains(environment, change))
                return false;
            part.names += (part.names.empty() ? "" : " and ") + change.name();
            return true;
        });
        if (part.names.empty())
            continue;
        if (contradictionOf(rest).empty() && isTimeLeft())
            part.withoutNs = predictor.iterationNs(rest, control);
        parts.push_back(std::move(part));
    }
    return parts;
}

std::string ablationText(const std::vector<StrategyPart> &parts)
{
    if (parts.size() < 2)
        return {};
    std::string text;
    for (const StrategyPart &part : parts)
        if (part.withoutNs)
            text += (text.empty() ? "Without " : ", without ") + part.names
                + (text.empty() ? " it takes " : " ") + durationText(*part.withoutNs);
    return text.empty() ? text : text + ".";
}

} // namespace core
