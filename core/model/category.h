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
/// and in exported pictures. Lightness differs by 5 (CIE L*) or more between any two, so that grey
/// print and readers with deuteranopia tell them apart, too.
struct RoleColors
{
    Role role;
    std::uint32_t light, dark;
};

inline constexpr std::array<RoleColors, RoleCount> AllRoleColors { {
    { Role::Forward, 0x0263B9, 0x629FF5 },
    { Role::Backward, 0x023470, 0x1D60B2 },
    { Role::Optimizer, 0x563CA8, 0x947BDB },
    { Role::Communication, 0xE08427, 0xFFBF83 },
    { Role::Memory, 0x078E85, 0x56CEC3 },
    { Role::Host, 0x878D96, 0x676F7A },
    { Role::Input, 0x791D5A, 0xB46194 },
    { Role::Annotation, 0xC2C7CF, 0x474E5A },
    { Role::Unknown, 0x477695, 0x88B2D1 },
} };

constexpr RoleColors colorsOf(Role role)
{
    for (const RoleColors &colors : AllRoleColors)
        if (colors.role == role)
            return colors;
    return AllRoleColors.back();
}

} // namespace core
