#pragma once

#include <optional>
#include <string_view>

namespace core {

/// The collective of a kernel that a library or serving engine wrote itself, by its name (also a
/// mangled one): a text that collectiveKind() knows, or "other"; absent for other kernels. Kernels
/// that multiply as well are computation. The view is of static storage.
std::optional<std::string_view> knownCollectiveKernel(std::string_view name);

/// The collective of an op, by what stands behind its last "::" ("oneccl::allreduce"); empty for
/// other ops.
std::string_view collectiveOfOp(std::string_view name);

/// Whether a kernel only prepares or ends a collective: PyTorch's own copies and divisions.
bool isHelperKernel(std::string_view name);

} // namespace core
