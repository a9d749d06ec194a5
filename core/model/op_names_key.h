#pragma once

#include <string_view>

namespace core {

/// The metadata in which an execution trace tells what some of its ops are called: a line
/// "NODE NAME" each, NODE as in SliceColumns::node.
inline constexpr std::string_view OpNamesKey = "op_names";

} // namespace core
