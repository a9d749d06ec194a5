#pragma once

#include <string_view>

namespace core {

/// Names of PyTorch's ops around gradients: what accumulates a parameter's gradient (the engine's
/// node, and the function inside of it), and what DDP's reducer copies a reduced bucket out with.
inline constexpr std::string_view GradientSuffix = "AccumulateGrad";
inline constexpr std::string_view CopyOutSuffix = "copy_bucket_to_grad";

/// How the names of PyTorch's calls begin that hand a collective over to its backend.
inline constexpr std::string_view HandOffPrefix = "c10d::";

/// The engine's node, at whose end a parameter's gradient is ready.
inline bool isGradientOp(std::string_view name)
{
    return name.starts_with("autograd::engine") && name.ends_with(GradientSuffix);
}

/// What DDP's reducer brings a gradient into its bucket with (mark_variable_ready_dense() of
/// reducer.cpp): it copies it, with a communication hook unscaled, or scales it where it lies in
/// the bucket already (gradient_as_bucket_view).
inline bool isBucketCopy(std::string_view name)
{
    return name == "aten::mul" || name == "aten::div_"
        || name == "torch::distributed::reducer::mul_out"
        || name == "torch::distributed::reducer::copy_";
}

} // namespace core
