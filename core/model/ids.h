#pragma once

#include "core/base/id.h"

namespace core {

using WorkerId
    = Id<struct WorkerTag>; ///< a rank's dense index in the project (not the rank number)
using FileId = Id<struct FileTag>; ///< a file of the bundle that was read; need not be dense
using TrackId = Id<struct TrackTag>; ///< one timeline row group: a host thread, a stream, ...
using NameId = Id<struct NameTag>; ///< an interned string; 0 is the empty string
using SliceId = Id<struct SliceTag,
                   std::uint64_t>; ///< dense over the project; contiguous in a track, by start
using OpId = Id<struct OpTag>; ///< a node of the global data-flow graph
using TensorId = Id<struct TensorTag>; ///< dense over the project
using DeviceId = Id<struct DeviceTag>; ///< what an op occupies during replay

} // namespace core
