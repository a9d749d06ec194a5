#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace core {

/// What kind of record a slice was in its source. Stored in one byte in the project: append only.
enum class Category : std::uint8_t {
    Other,
    CpuOp, ///< framework operator on a host thread
    UserAnnotation, ///< record_function ranges, ProfilerStep, DDP forward, optimizer step
    PythonFunction,
    Runtime, ///< cuda/hip runtime or driver call
    Kernel, ///< compute kernel on a device stream
    CommKernel, ///< NCCL / RCCL kernel on a device stream
    Memcpy,
    Memset,
    Sync, ///< cuda_sync records on a stream's sync row
    GpuAnnotation, ///< device-side shadow of a user annotation
    Overhead, ///< profiler's own cost
    CommOp, ///< communication of a CPU backend (gloo:*, bucket all-reduce rows, PUSH/PULL)
    Span, ///< profiler spans ("PyTorch Profiler (0)")
};

/// Which part of an iteration a slice belongs to; found after import from nesting and launch links.
/// Stored in one byte in the project: append only.
enum class Phase : std::uint8_t { None, Forward, Backward, Optimizer, Input };

/// What a slice means to a reader, and so its colour: one value for every combination of category
/// and phase. See "Colour" in resources/README.md.
enum class Role : std::uint8_t {
    Forward,
    Backward,
    Optimizer,
    Communication,
    Memory,
    Host,
    Input,
    Annotation,
    Unknown ///< compute of which nothing tells the phase
};
inline constexpr std::size_t RoleCount = 9; ///< values of Role

Role roleOf(Category category, Phase phase);
std::string_view
categoryName(Category category); ///< stable id, used in SQL and JSON ("comm_kernel")
std::string_view phaseName(Phase phase); ///< stable id ("forward")
std::string_view roleName(Role role); ///< stable id ("communication")

/// True for slices that occupy a device stream (kernels, copies, sets).
bool isDeviceActivity(Category category);
/// True for communication that occupies the network: NCCL kernels and the collectives of CPU
/// backends.
bool isCommunication(Category category);

/// Fills of one role in both themes, 0xRRGGBB: the same meaning has the same colour in the window
/// and in exported pictures.
struct RoleColors
{
    Role role;
    std::uint32_t light, dark;
};

inline constexpr std::array<RoleColors, RoleCount> AllRoleColors { {
    { Role::Forward, 0x3B7DD8, 0x5B95E6 },
    { Role::Backward, 0x1E4F9C, 0x3569B8 },
    { Role::Optimizer, 0x7A5CC7, 0x9B82DE },
    { Role::Communication, 0xD9822B, 0xE79A4B },
    { Role::Memory, 0x2B9C93, 0x45B8AE },
    { Role::Host, 0x8A9099, 0x7D8590 },
    { Role::Input, 0xB0578D, 0xC877A8 },
    { Role::Annotation, 0xC3C8D0, 0x4A515C },
    { Role::Unknown, 0x5F8AA8, 0x86AECB },
} };

constexpr RoleColors colorsOf(Role role)
{
    for (const RoleColors &colors : AllRoleColors)
        if (colors.role == role)
            return colors;
    return AllRoleColors.back();
}

} // namespace core
