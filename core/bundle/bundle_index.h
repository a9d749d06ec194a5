#pragma once

#include "core/bundle/located_item.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace core {

/// All that a bundle holds; entries keep it, since they open each other.
struct BundleIndex
{
    std::vector<LocatedItem> items;
    std::map<std::string, std::size_t, std::less<>> byName; ///< lexically normal
};

/// Opens the item at `position`; unpacked while it is read where it is compressed. Throws Error.
std::unique_ptr<BundleEntry> openEntry(const std::shared_ptr<const BundleIndex> &index,
                                       std::size_t position);

} // namespace core
