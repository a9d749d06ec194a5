#pragma once

#include "core/import/chrome/chrome_event.h"
#include "core/model/trace.h"

#include <optional>

namespace core {

/// The name of the instants that PyTorch writes for allocations (profile_memory=True).
constexpr std::string_view KinetoMemoryName = "[memory]";

/// An allocation or a release from the arguments of such an instant. Absent where the size or the
/// device is missing or makes no sense. Traces before 2022 have neither address nor totals.
std::optional<MemoryEvent> kinetoMemoryEvent(const ChromeEvent &event, std::int64_t timeNs);

} // namespace core
