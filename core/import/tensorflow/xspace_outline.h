#pragma once

#include "core/base/job_control.h"
#include "core/bundle/bundle.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace core {

/// What the events of one kind share.
struct XEventMetadata
{
    std::string name;
    std::string displayName; ///< empty for none; of TensorFlow operators: the operator's type
    std::string stats; ///< XStat messages as XEventMetadata holds them (field 5); small ones only
};

/// One row of a plane, without its events.
struct XLineOutline
{
    std::int64_t id = 0;
    std::string name; ///< display_name where there is one
    std::int64_t timestampNs = 0; ///< what the events' offsets count from
};

/// A device, or the threads of a host.
struct XPlaneOutline
{
    std::string name;
    std::vector<XLineOutline> lines;
    std::unordered_map<std::int64_t, XEventMetadata> events;
    std::unordered_map<std::int64_t, std::string> statNames; ///< also the values of references
    std::string stats; ///< XStat messages as XPlane holds them (field 6); small ones only
};

/// Everything of an XSpace but its events: names stand behind the events that use them, so they are
/// collected before.
struct XSpaceOutline
{
    std::vector<XPlaneOutline> planes;
    std::vector<std::string> hostNames;
    std::vector<std::string> errors, warnings; ///< of the profiler, at most MaximumMessages
    std::optional<std::int64_t> profileStartNs; ///< since the Unix epoch
    std::uint64_t namesLeftOut = 0; ///< with statistics of metadata; beyond the bound
    std::uint64_t damageCount = 0;
    std::optional<std::uint64_t> firstDamage;
    std::optional<std::uint64_t> truncatedAt; ///< byte; absent: it is whole

    static constexpr std::size_t MaximumMessages = 16;
    static constexpr std::size_t MaximumRows = 100'000; ///< planes and lines; more end the reading
    /// Whatever the memory, of names, values of references and statistics of metadata together.
    static constexpr std::uint64_t MaximumNameBytes = 512ULL * 1024 * 1024;
};

/// Reads an XSpace message (TensorFlow, JAX, XProf) once. Damage costs the message that it is in
/// and is counted in the outline; that of the archive around it in `diagnostics`. Throws Error if
/// the entry is no XSpace, and Cancelled. Names beyond `mostBytes` or MaximumNameBytes stay
/// unknown.
XSpaceOutline readXSpaceOutline(BundleEntry &entry, std::size_t mostBytes, Diagnostics &diagnostics,
                                const JobControl &control);

/// Field numbers of xplane.proto.
namespace xspace {
    constexpr std::uint32_t Planes = 1, Errors = 2, Warnings = 3, HostNames = 4;
}
namespace xplane {
    constexpr std::uint32_t Id = 1, Name = 2, Lines = 3, EventMetadata = 4, StatMetadata = 5,
                            Stats = 6;
}
namespace xline {
    constexpr std::uint32_t Id = 1, Name = 2, TimestampNs = 3, Events = 4, DisplayName = 11;
}

} // namespace core
