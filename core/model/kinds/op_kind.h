#pragma once

#include "core/model/category.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Kinds of recorded operations. Times of one kind do not contain each other's.
enum class OpTableKind : std::uint8_t {
    Kernel, ///< on a device's stream
    Communication, ///< kernels and rows of a backend
    Copy,
    FrameworkOp, ///< on a host thread
    RuntimeCall,
    Python,
    Annotation ///< ranges that a user, a framework or the profiler marks
};
inline constexpr std::size_t OpTableKinds = 7;

std::string_view opTableKindName(OpTableKind kind); ///< "kernel", "framework op"
OpTableKind opTableKindOf(Category category);

/// The kind as one word in small letters, as searches and the command line name it:
/// "framework-op".
std::string opKindWord(OpTableKind kind);
/// Those whose words begin so, in either case; none of an empty text.
std::vector<OpTableKind> opKindsNamed(std::string_view beginning);
/// All words: "kernel, communication, copy...".
std::string allOpKindWords();

} // namespace core
