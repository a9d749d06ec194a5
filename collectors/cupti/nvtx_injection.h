#pragma once

#include "collectors/cupti/nvtx_abi.h"

namespace collectors {

/// Takes over the NVTX calls of one library of the program (each has its own tables), which are
/// recorded as ranges from then on. False if there is nothing to take over.
bool attachNvtx(nvtx::GetExportTable getExportTable) noexcept;

} // namespace collectors
