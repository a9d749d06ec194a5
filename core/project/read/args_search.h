#pragma once

#include "core/base/job_control.h"
#include "core/project/read/search_filter.h"
#include "core/project/read/slice_store.h"

#include <functional>
#include <span>
#include <vector>

namespace core {

/// See ProjectReader::findByArgs(). `onFound`, if any, gets each slice once or more.
std::vector<FoundSlice>
findSlicesByArgs(SliceStore &store, const SearchTerms &terms, std::size_t limit,
                 const JobControl &control,
                 const std::function<void(std::span<const FoundSlice>)> &onFound = {});

} // namespace core
