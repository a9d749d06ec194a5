#pragma once

#include "core/change/change_kind.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

inline constexpr std::string_view CutsKey = "gradients";

/// How many tensors each bucket holds, in the order in which gradients become ready: {4, 10} of
/// "4,10". Empty: it is no list of numbers from 1 on.
std::optional<std::vector<std::size_t>> bucketCounts(std::string_view text);
std::string bucketCountsText(const std::vector<std::size_t> &counts);

/// gradients: which tensors DDP reduces together, bucket by bucket.
std::unique_ptr<const ChangeKind> cutsChange();

} // namespace core
