#pragma once

#include "core/project/read/slice_store.h"

#include <string_view>

namespace core {

/// See ProjectReader::findByName().
std::vector<SliceId> findSlices(SliceStore &store, std::string_view text, std::size_t limit);

} // namespace core
