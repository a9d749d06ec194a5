#pragma once

#include "core/base/job_control.h"
#include "core/project/read/search_filter.h"
#include "core/project/read/slice_store.h"

#include <vector>

namespace core {

/// See ProjectReader::findByName().
std::vector<FoundSlice> findSlices(SliceStore &store, const SearchTerms &terms, std::size_t limit,
                                   const JobControl &control);

/// See ProjectReader::countByName().
std::uint64_t countSlices(SliceStore &store, const SearchTerms &terms, const JobControl &control);

} // namespace core
