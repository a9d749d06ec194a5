#pragma once

#include "core/model/category.h"

#include <array>
#include <cstdint>

namespace core {

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
