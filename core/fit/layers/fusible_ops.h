#pragma once

#include <string_view>

namespace core {

/// Whether a compiler joins the op with the one that computes its input: it only passes over memory
/// (element by element, or a normalisation, a reduction), by the words of its name. Of a framework
/// ("aten::relu_", "ReluBackward0", "FusedBatchNormV3") or a kernel ("elementwise_kernel").
bool isFusible(std::string_view name);

/// Part of its time that such an op saves where it does not read what was just computed: of the
/// three passes over memory of an op of two operands (the "add" of McCalpin's STREAM benchmark: two
/// reads, a write) one read goes.
inline constexpr double FusedReadShare = 1.0 / 3;
/// The same of an op of one operand: of two passes one goes. The most that an op can save so.
inline constexpr double MostFusedReadShare = 1.0 / 2;

} // namespace core
