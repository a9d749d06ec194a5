#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tests {

/// Classes and structs that a header defines in a namespace, as "core::Graph". Nested ones, forward
/// declarations and specializations do not count.
std::vector<std::string> definedTypes(std::string_view header);

} // namespace tests
