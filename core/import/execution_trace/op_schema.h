#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// Which arguments an operator writes to, by its schema ("aten::add_(Tensor(a!) self, ...)"): bit
/// i is argument i; arguments from 63 on share the last bit. Absent for an empty schema and one
/// that makes no sense: nothing is known then.
std::optional<std::uint64_t> mutatedArguments(std::string_view schema);

} // namespace core
