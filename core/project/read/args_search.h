#pragma once

#include "core/base/job_control.h"
#include "core/project/read/slice_store.h"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace core {

/// See ProjectReader::findByArgs().
std::vector<SliceId> findSlicesByArgs(SliceStore &store, std::string_view text, std::size_t limit,
                                      const JobControl &control,
                                      const std::function<void(std::span<const SliceId>)> &onFound);

} // namespace core
