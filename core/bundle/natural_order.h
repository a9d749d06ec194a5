#pragma once

#include <string_view>

namespace core {

/// The order people expect of names with numbers: "rank2" before "rank10". A strict weak ordering;
/// names that differ only in leading zeros are ordered by the zeros.
bool comesBefore(std::string_view left, std::string_view right);

} // namespace core
