#include "core/analyze/advice.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace core {

namespace {

    constexpr std::array<std::string_view, 3> PyTorchPrefixes
        = { "aten::", "ProfilerStep#", "Optimizer.step#" };

    bool isOfPyTorch(const std::string &name)
    {
        return std::any_of(PyTorchPrefixes.begin(), PyTorchPrefixes.end(),
                           [&name](std::string_view prefix) { return name.starts_with(prefix); });
    }

} // namespace

Advice::Advice(const Trace &trace)
    : m_isPyTorch(std::any_of(trace.names.begin(), trace.names.end(), isOfPyTorch))
{
}

std::string Advice::onBandwidth() const
{
    return m_isPyTorch
        ? "Use a faster link between the workers, or send fewer bytes: "
          "model.register_comm_hook(None, default_hooks.fp16_compress_hook) halves the gradients' "
          "bytes."
        : "Use a faster link between the workers, or send fewer bytes: gradients in half precision "
          "(for Horovod, compression=hvd.Compression.fp16) are half as many.";
}

std::string Advice::onExposedCommunication() const
{
    return std::string("Start communication earlier (smaller gradient ")
        + (m_isPyTorch ? "buckets" : "buckets, fusion buffers or partitions")
        + "), send fewer bytes (half precision, gradient accumulation), or give it a faster link; "
          "no such change can gain more than this.";
}

std::string Advice::onHost(bool isAccelerated) const
{
    if (m_isPyTorch)
        return isAccelerated
            ? "Launch less: torch.compile(mode='reduce-overhead') or CUDA graphs, larger batches, "
              "and no calls in the loop that wait for the device (.item(), print of a tensor, "
              "torch.cuda.synchronize())."
            : "Let fewer and larger operations do the work: torch.compile, foreach=True in the "
              "optimizer, larger batches; keep Python out of the loop.";
    return isAccelerated
        ? "Launch less: compile the whole step into one program (tf.function(jit_compile=True), "
          "jax.jit), larger batches, and no reading of results in the loop (.numpy(), "
          "block_until_ready())."
        : "Let fewer and larger operations do the work: compile the whole step "
          "(tf.function(jit_compile=True), jax.jit), larger batches; keep Python out of the loop.";
}

std::string Advice::onInput() const
{
    return m_isPyTorch ? "Load in the background: DataLoader(num_workers=4 or more, "
                         "pin_memory=True, persistent_workers=True, prefetch_factor=4)."
                       : "Load in the background and ahead of time (for tf.data, "
                         "map(num_parallel_calls=tf.data.AUTOTUNE) and "
                         "prefetch(tf.data.AUTOTUNE) at its end).";
}

} // namespace core
