#pragma once

#include "core/change/change.h"

#include <string_view>
#include <vector>

namespace core {

/// A strategy as a system or a paper has it.
struct Preset
{
    std::string_view name; ///< "horovod_default"
    std::string_view title; ///< "Horovod's defaults: a buffer of 128 MiB, cycles of 1 ms"
    std::string_view source; ///< documentation, or the paper
    std::string_view pass; ///< that searches on the system which it needs; empty: none does
    bool isDefault = false; ///< of a system as it is installed: a baseline of every search
    Strategy changes;
};

/// In the order in which they are shown; defaults first.
const std::vector<Preset> &presets();

/// Changes of what surrounds the job: none of how gradients travel, of the algorithm of collectives
/// or of what is compiled.
Strategy environmentOf(Strategy strategy);

} // namespace core
