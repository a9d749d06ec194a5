#pragma once

namespace ui {

/// Distances in device-independent pixels; everything is a multiple of the 4 px base.
namespace space {
    inline constexpr int tiny = 4;
    inline constexpr int small = 8;
    inline constexpr int medium = 12;
    inline constexpr int large = 16;
    inline constexpr int huge = 32;
} // namespace space

inline constexpr int denseRowHeight = 20;
inline constexpr int comfortableRowHeight = 28;
inline constexpr int cornerRadius = 4;

/// Font sizes in pixels.
enum class TextSize { Small = 11, Normal = 13, Large = 16, Title = 22 };

} // namespace ui
