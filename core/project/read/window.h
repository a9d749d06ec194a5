#pragma once

#include "core/project/read/slice_store.h"

namespace core {

/// See ProjectReader::readWindow().
TrackWindow readWindow(SliceStore &store, TrackId track, TimeRange range,
                       std::int64_t resolutionNs);

} // namespace core
