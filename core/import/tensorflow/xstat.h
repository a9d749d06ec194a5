#pragma once

#include "core/import/tensorflow/xspace_outline.h"
#include "core/import/text/protobuf_scan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// One figure or text that an event, a kind of event or a plane carries. Views point into the
/// message and into the plane.
struct XStat
{
    enum class Kind : std::uint8_t { None, Real, Unsigned, Signed, Text, Opaque };

    std::string_view name; ///< empty where the plane does not name it
    Kind kind = Kind::None;
    double real = 0;
    std::uint64_t natural = 0; ///< of Unsigned; of Signed its bits
    std::string_view text; ///< not checked for UTF-8

    /// Of Unsigned up to 2^63 - 1 and Signed.
    std::optional<std::int64_t> integer() const;
};

/// Reads an XStat message.
XStat readStat(std::string_view message, const XPlaneOutline &plane);

/// Calls `use` with every XStat in a message that holds them as field `number`.
template <class Use>
void forEachStat(std::string_view message, std::uint32_t number, const XPlaneOutline &plane,
                 Use &&use)
{
    for (ProtobufFields field(message); field.next();) {
        if (field.number() == number && field.isBytes())
            use(readStat(field.bytes(), plane));
    }
}

/// The statistic of that name; nullptr if there is none.
const XStat *findStat(const std::vector<XStat> &stats, std::string_view name);

/// What is shown of an event's statistics.
struct XStatArgs
{
    std::string json; ///< an object; empty for none
    bool isCut = false; ///< statistics that do not fit are missing
};
/// How large the JSON text may become, without its last brace. A reference of a few bytes can stand
/// for a text of 64 KiB, and an event can have any number of them.
constexpr std::size_t MaximumStatArgsBytes = 256 * 1024;

/// All statistics with a name and a value that is no byte string, as far as they fit.
XStatArgs statsAsJson(const std::vector<XStat> &stats);

/// Field numbers of the messages that hold statistics.
namespace xstat {
    constexpr std::uint32_t OfEvent = 4, OfEventMetadata = 5;
}

} // namespace core
