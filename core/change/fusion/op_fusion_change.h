#pragma once

#include "core/change/change_kind.h"
#include "core/change/fusion/op_fusion.h"

#include <memory>
#include <string_view>

namespace core {

inline constexpr std::string_view OpFusionKey = "op_fusion", FusionTimesKey = "op_fusion_times",
                                  FusionSavingKey = "op_fusion_saving";
/// Values of op_fusion: all as one part, as XLA does; a part each bucket, so that no gradient waits
/// longer; none.
inline constexpr std::string_view FuseAll = "xla", FuseBuckets = "auto", FuseNone = "off";

/// Ops that a strategy joins in a job with such steps. Throws Error where op_fusion_times cannot
/// be read.
OpFusion opFusionOf(const Strategy &strategy, const GradientStep &step);

/// op_fusion, op_fusion_times, op_fusion_saving: which of the layers' ops a compiler joins.
std::unique_ptr<const ChangeKind> opFusionChange();

} // namespace core
