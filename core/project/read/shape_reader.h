#pragma once

#include "core/base/job_control.h"
#include "core/model/op_shapes.h"
#include "core/model/trace.h"
#include "core/project/read/slice_store.h"

namespace core {

/// See ProjectReader::readShapes().
OpShapes readOpShapes(SliceStore &store, const Trace &trace, const JobControl &control);

} // namespace core
