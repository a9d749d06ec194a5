#pragma once

#include "core/model/trace.h"

#include <span>
#include <string>

namespace core {

/// How the worker's files call its accelerators: "XPU", "NPU"; "GPU" where none tells (see
/// AcceleratorKey).
std::string acceleratorWord(std::span<const JobMetadata> metadata, const Worker &worker);

} // namespace core
