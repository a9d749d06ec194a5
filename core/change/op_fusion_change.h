#pragma once

#include "core/change/change_kind.h"
#include "core/change/op_fusion.h"

#include <memory>
#include <string_view>

namespace core {

inline constexpr std::string_view OpFusionKey = "op_fusion", FusionTimesKey = "op_fusion_times",
                                  FusionSavingKey = "op_fusion_saving";
inline constexpr std::string_view FuseAll = "all"; ///< a value of op_fusion

/// What a strategy joins. `tensors`: of the job. Throws Error where op_fusion_times cannot be read.
OpFusion opFusionOf(const Strategy &strategy, std::size_t tensors);

/// op_fusion, op_fusion_times, op_fusion_saving: which of the layers' ops a compiler joins.
std::unique_ptr<const ChangeKind> opFusionChange();

} // namespace core
