#pragma once

#include "core/model/category.h"
#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// What a line of an XPlane is.
struct XPlaneRow
{
    TrackKind kind = TrackKind::Other;
    Category category = Category::Other; ///< of events that say no more about themselves
    std::optional<int> device;
};

/// By the names of plane and line. Of a device's lines only streams and the operations of a TPU are
/// measured; the others (Steps, XLA Modules, Framework Ops ...) are derived from them by the
/// profiler, are annotations and count as no device time.
XPlaneRow xplaneRow(std::string_view plane, std::string_view line);

/// What an event of a stream is.
struct DeviceEventKind
{
    Category category = Category::Kernel;
    std::uint64_t bytes = 0; ///< of a copy, a fill or a collective; 0 unknown
    std::string_view collective; ///< its kind; empty for none
};

/// By what the profiler says about the event; empty where it does not.
struct DeviceEventTexts
{
    std::string_view name; ///< a kernel's, or an XLA instruction
    std::string_view hloOp; ///< the instruction that a kernel belongs to
    std::string_view copyDetails, fillDetails;
};

DeviceEventKind deviceEventKind(const DeviceEventTexts &texts);

/// The device of an allocator: 4 for "GPU_4_bfc"; absent for one of the host's memory
/// ("gpu_host_bfc").
std::optional<int> allocatorDevice(std::string_view allocator);

/// Bytes that a copy or a fill moved, from the profiler's description ("kind_src:device size:4
/// dest:1 async:1"); 0 if it does not say.
std::uint64_t detailedBytes(std::string_view details);

} // namespace core
