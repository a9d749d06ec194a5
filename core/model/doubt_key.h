#pragma once

#include <string_view>

namespace core {

/// Name of a file's metadata (TraceSink::metadata) that is a sentence for people: why a prediction
/// from the file is not to be relied on.
inline constexpr std::string_view DoubtKey = "doubt";
/// The same of what was put right, as far as that could be told.
inline constexpr std::string_view RepairKey = "repair";
/// The metadata in which a file tells how it calls its accelerators ("XPU"); those of others are
/// GPUs.
inline constexpr std::string_view AcceleratorKey = "accelerator";

} // namespace core
