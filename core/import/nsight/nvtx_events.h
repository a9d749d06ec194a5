#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace core {

constexpr std::string_view NvtxTable = "NVTX_EVENTS";

// NVTX_EVENTS.eventType, from ENUM_NSYS_EVENT_TYPE.
constexpr std::int64_t NvtxMark = 34;
constexpr std::int64_t NvtxThread = 39; ///< names a thread
constexpr std::int64_t NvtxPushPopRange = 59;
constexpr std::int64_t NvtxStartEndRange = 60;
constexpr std::int64_t NvtxtPushPopRange = 70; ///< the same from a text file of NVTX events
constexpr std::int64_t NvtxtStartEndRange = 71;
constexpr std::int64_t NvtxDomainCreate = 75;

/// Of rows that name something or end a domain: categories, threads, processes, domains, devices.
constexpr bool isNvtxDescription(std::int64_t type)
{
    constexpr std::int64_t Types[]
        = { 33, NvtxThread, 64, 72, 73, 74, NvtxDomainCreate, 76, 97, 98, 99 };
    return std::find(std::begin(Types), std::end(Types), type) != std::end(Types);
}

constexpr bool isNvtxRange(std::int64_t type)
{
    return type == NvtxPushPopRange || type == NvtxStartEndRange || type == NvtxtPushPopRange
        || type == NvtxtStartEndRange;
}
/// Ranges that need not nest and may end on another thread.
constexpr bool isNvtxStartEnd(std::int64_t type)
{
    return type == NvtxStartEndRange || type == NvtxtStartEndRange;
}

} // namespace core
