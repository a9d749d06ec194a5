#include "core/analyze/advice.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace core {

namespace {

    constexpr std::array<std::string_view, 3> PyTorchPrefixes
        = { "aten::", "ProfilerStep#", "Optimizer.step#" };
    /// Executors of TensorFlow, JAX's calls, and nodes that every graph of TensorFlow has.
    constexpr std::array<std::string_view, 12> TensorFlowOrJaxPrefixes
        = { "ExecutorState::", "EagerExecute", "TfOp:",   "Iterator::",       "jit_", "pjit_",
            "PjitFunction",    "PjRt",         "_SOURCE", "HorovodAllreduce", "Xla",  "Thunk" };

    template <class Prefixes>
    bool hasName(const Trace &trace, const Prefixes &prefixes)
    {
        return std::any_of(trace.names.begin(), trace.names.end(),
                           [&prefixes](const std::string &name) {
                               return std::any_of(prefixes.begin(), prefixes.end(),
                                                  [&name](std::string_view prefix) {
                                                      return name.starts_with(prefix);
                                                  });
                           });
    }

} // namespace

Advice::Framework Advice::frameworkOf(const Trace &trace)
{
    if (hasName(trace, PyTorchPrefixes))
        return Framework::PyTorch;
    return hasName(trace, TensorFlowOrJaxPrefixes) ? Framework::TensorFlowOrJax : Framework::None;
}

Advice::Advice(const Trace &trace)
    : m_framework(frameworkOf(trace))
{
}

std::string Advice::onBandwidth() const
{
    return m_framework == Framework::PyTorch
        ? "Use a faster link between the workers, or send fewer bytes: "
          "model.register_comm_hook(None, default_hooks.fp16_compress_hook) halves the gradients' "
          "bytes."
        : "Use a faster link between the workers, or send fewer bytes: gradients in half precision "
          "(for Horovod, compression=hvd.Compression.fp16) are half as many.";
}

std::string Advice::onExposedCommunication() const
{
    return std::string("Start communication earlier (smaller gradient ")
        + (m_framework == Framework::PyTorch ? "buckets" : "buckets, fusion buffers or partitions")
        + "), send fewer bytes (half precision, gradient accumulation), or give it a faster link; "
          "no such change can gain more than this.";
}

std::string Advice::onHost(bool isAccelerated) const
{
    switch (m_framework) {
    case Framework::PyTorch:
        return isAccelerated
            ? "Launch less: torch.compile(mode='reduce-overhead') or CUDA graphs, larger batches, "
              "and no calls in the loop that wait for the device (.item(), print of a tensor, "
              "torch.cuda.synchronize())."
            : "Let fewer and larger operations do the work: torch.compile, foreach=True in the "
              "optimizer, larger batches; keep Python out of the loop.";
    case Framework::TensorFlowOrJax:
        return isAccelerated
            ? "Launch less: compile the whole step into one program "
              "(tf.function(jit_compile=True), jax.jit), larger batches, and no reading of results "
              "in the loop (.numpy(), block_until_ready())."
            : "Let fewer and larger operations do the work: compile the whole step "
              "(tf.function(jit_compile=True), jax.jit), larger batches; keep Python out of the "
              "loop.";
    case Framework::None:
        break;
    }
    return isAccelerated
        ? "Look at what the host does meanwhile; what repeats can be launched at once (CUDA "
          "graphs, fewer and larger kernels), and calls that wait for the device "
          "(cudaDeviceSynchronize, cudaMemcpy, cudaMalloc, cudaFree) belong outside of the loop."
        : "Look at the operations between which the time passes, and let fewer and larger ones do "
          "the work.";
}

std::string Advice::onInput() const
{
    switch (m_framework) {
    case Framework::PyTorch:
        return "Load in the background: DataLoader(num_workers=4 or more, pin_memory=True, "
               "persistent_workers=True, prefetch_factor=4).";
    case Framework::TensorFlowOrJax:
        return "Load in the background and ahead of time (for tf.data, "
               "map(num_parallel_calls=tf.data.AUTOTUNE) and prefetch(tf.data.AUTOTUNE) at its "
               "end).";
    case Framework::None:
        break;
    }
    return "Load in the background and ahead of time, on threads of its own.";
}

} // namespace core
