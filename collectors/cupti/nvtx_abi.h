#pragma once

// The part of NVTX v3's ABI that an injection uses, declared here since it is needed without the
// CUDA toolkit as well. tests/collectors/cupti/check_cupti_abi.cpp compares it with NVIDIA's.

#include <cstddef>
#include <cstdint>

namespace collectors::nvtx {

using FunctionPointer = void (*)();
using FunctionTable = FunctionPointer **; ///< entry i: where the program keeps callback i

enum : std::uint32_t { ExportCallbacks = 1 };
enum Module : int { ModuleCore = 1, ModuleCore2 = 5 };

enum CoreCallback : unsigned {
    MarkEx = 1,
    MarkA = 2,
    MarkW = 3,
    RangeStartEx = 4,
    RangeStartA = 5,
    RangeStartW = 6,
    RangeEnd = 7,
    RangePushEx = 8,
    RangePushA = 9,
    RangePushW = 10,
    RangePop = 11,
};

enum Core2Callback : unsigned {
    DomainMarkEx = 1,
    DomainRangeStartEx = 2,
    DomainRangeEnd = 3,
    DomainRangePushEx = 4,
    DomainRangePop = 5,
    DomainRegisterStringA = 10,
    DomainRegisterStringW = 11,
    DomainCreateA = 12,
    DomainCreateW = 13,
};

struct ExportTableCallbacks
{
    std::size_t structSize;
    int (*moduleFunctionTable)(int module, FunctionTable *table, unsigned *size);
};

using GetExportTable = const void *(*)(std::uint32_t id);

enum ColorType : std::int32_t { ColorArgb = 1 };
enum MessageType : std::int32_t { MessageAscii = 1, MessageUnicode = 2, MessageRegistered = 3 };

struct EventAttributes
{
    std::uint16_t version, size;
    std::uint32_t category;
    std::int32_t colorType;
    std::uint32_t color;
    std::int32_t payloadType, reserved;
    std::uint64_t payload;
    std::int32_t messageType;
    const void *message; ///< char, wchar_t, or what was returned for a registered string
};
static_assert(offsetof(EventAttributes, messageType) == 32);
static_assert(offsetof(EventAttributes, message) == 40);
static_assert(sizeof(EventAttributes) == 48);

enum : int { NoTracking = -2 }; ///< what push and pop return where nobody counts levels

} // namespace collectors::nvtx
