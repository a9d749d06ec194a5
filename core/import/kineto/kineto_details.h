#pragma once

#include "core/import/chrome/chrome_event.h"
#include "core/import/kineto/kineto_categories.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <optional>

namespace core {

/// What of a record depends on its category: its row, its collective, its wait.
struct KinetoDetails
{
    Category category = Category::Other;
    TrackKind track = TrackKind::Other;
    std::uint64_t bytes = 0;
    CollectiveInfo collective;
    SyncInfo sync;
    bool isCollective = false;
    bool isWait = false;
};

/// Of a complete event; views into it.
KinetoDetails kinetoDetails(const ChromeEvent &event, const KinetoCategory &kind);

/// The device of the row that an event goes to; absent for rows of the host. `isLabelled`: the
/// process is a rank, so its number is none of a device.
std::optional<std::int64_t> kinetoDevice(const ChromeEvent &event, TrackKind track,
                                         bool isLabelled);

} // namespace core
