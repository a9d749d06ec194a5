#include "core/change/change_kind.h"

#include <algorithm>

namespace core {

namespace {

    const ChangeTraits *traitsIn(const ChangeKind &kind, std::string_view key)
    {
        const std::span<const ChangeTraits> traits = kind.traits();
        const auto found = std::find_if(traits.begin(), traits.end(),
                                        [key](const ChangeTraits &one) { return one.key == key; });
        return found == traits.end() ? nullptr : &*found;
    }

} // namespace

bool ChangeKind::isAsked(const Strategy &strategy) const
{
    return std::any_of(
        strategy.changes.begin(), strategy.changes.end(),
        [this](const Change &change) { return traitsIn(*this, change.key) != nullptr; });
}

unsigned ChangeKind::effects(const Change &change) const
{
    const ChangeTraits *const traits = traitsIn(*this, change.key);
    const bool isOff
        = traits != nullptr && traits->form == ChangeForm::Switch && change.number() == 0.0;
    if (traits == nullptr || isOff)
        return 0;
    return change.ranks.empty() ? traits->effects : traits->effects | traits->effectsOfRanks;
}

std::string ChangeKind::noChangeReason(const MeasuredJob &, const Strategy &,
                                       const Change &change) const
{
    return factorNoChange(change);
}

std::string factorNoChange(const Change &change)
{
    return change.number() == 1.0
        ? change.name() + "=1 is the job as recorded"
        : "nothing in the recording takes time that " + change.name() + " changes";
}

} // namespace core
