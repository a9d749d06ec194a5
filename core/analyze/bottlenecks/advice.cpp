#include "core/analyze/bottlenecks/advice.h"

#include "core/base/sentence.h"
#include "core/change/gradients/repartition.h"

#include <algorithm>
#include <string_view>

namespace core {

namespace {

    constexpr std::string_view DdpPrefix = "DistributedDataParallel.";

    bool hasDdp(const Trace &trace)
    {
        return std::any_of(trace.names.begin(), trace.names.end(),
                           [](const std::string &name) { return name.starts_with(DdpPrefix); });
    }

    /// PyTorch's DataLoader with num_workers of 1 or more.
    bool hasInputWorkers(const Trace &trace)
    {
        return std::any_of(trace.names.begin(), trace.names.end(), [](const std::string &name) {
            return name.find("_MultiProcessingDataLoaderIter") != std::string::npos;
        });
    }

    constexpr double ConsiderableShare = 0.2; ///< of communication, from which it is advised on

    bool isConsiderable(const RoleShare &share)
    {
        return share.share >= ConsiderableShare;
    }

    /// That of gradients does not fit it.
    bool hasOwnAdvice(const RoleShare &share)
    {
        return share.role == GroupRole::Data ? share.isSharded : share.role != GroupRole::Unknown;
    }

} // namespace

Advice::Exchange Advice::exchangeOf(const Trace &trace, const Graph &graph) const
{
    if (!graph.gradientSteps.empty() || hasDdp(trace))
        return Exchange::DdpBuckets;
    if (trace.collectives.empty() && !trace.transfers.empty())
        return Exchange::Messages;
    const bool hasPartitions = std::any_of(
        graph.collectives.begin(), graph.collectives.end(),
        [](const CollectiveNode &node) { return !node.tensor.empty() && !node.isMessage; });
    if (hasPartitions)
        return Exchange::Partitions;
    return m_framework == Framework::Unknown ? Exchange::NotTraining : Exchange::Other;
}

Advice::Advice(const Trace &trace, const Graph &graph)
    : m_framework(frameworkOf(trace.names))
    , m_exchange(exchangeOf(trace, graph))
    , m_sendsByPriority(sendsByPriority(graph))
    , m_hasInputWorkers(hasInputWorkers(trace))
{
}

std::string Advice::onBandwidth(const std::vector<RoleShare> &roles) const
{
    const char *half = "Half precision halves the bytes.";
    if (!roles.empty() && hasOwnAdvice(roles.front()))
        return "Use a faster link between the ranks of the "
            + std::string(groupRoleName(roles.front().role))
            + "-parallel groups, or send fewer bytes. " + half;
    const std::string faster = "Use a faster link between the "
        + std::string(m_exchange == Exchange::Messages ? "ranks that exchange most" : "workers")
        + ", or send fewer bytes. ";
    if (m_exchange == Exchange::NotTraining)
        return faster + half;
    if (m_framework != Framework::PyTorch)
        return faster
            + "Gradients in half precision have half the bytes (for Horovod, "
              "compression=hvd.Compression.fp16).";
    if (m_exchange == Exchange::DdpBuckets)
        return faster
            + "DDP halves the gradients' bytes with "
              "model.register_comm_hook(None, default_hooks.fp16_compress_hook).";
    return faster + half;
}

std::string Advice::onGradients() const
{
    std::string earlier = "start communication earlier, beside computation that does not need it";
    std::string fewer = "Half precision and gradient accumulation send fewer bytes.";
    switch (m_exchange) {
    case Exchange::DdpBuckets:
        // findBucketSize() predicts the gain of other buckets.
        earlier = "";
        break;
    case Exchange::Partitions:
        // findPartitionSize() predicts the gain of other sizes of partitions.
        earlier = m_sendsByPriority
            ? ""
            : "send first what is needed first (the first layers' gradients)";
        break;
    case Exchange::Messages:
        earlier = "send first what is needed first, in smaller messages or over more servers";
        break;
    case Exchange::NotTraining:
        fewer = "Half precision sends fewer bytes.";
        break;
    case Exchange::Other:
        break;
    }
    return (earlier.empty() ? "" : earlier + ", ") + "send fewer bytes, or use a faster link. "
        + fewer;
}

std::string Advice::ofPyTorch(const char *text) const
{
    return m_framework == Framework::PyTorch ? " (" + std::string(text) + ")" : std::string();
}

std::string Advice::onRole(const RoleShare &share) const
{
    switch (share.role) {
    case GroupRole::Tensor:
        return "keep each group within one fast domain (NVLink, one host) or make it smaller. Let "
               "its collectives overlap the matrix products: sequence parallelism with overlap"
            + ofPyTorch("Megatron's --sequence-parallel --tp-comm-overlap") + ".";
    case GroupRole::Pipeline:
        return "send activations while the next micro-batch computes, in an interleaved schedule"
            + ofPyTorch("Megatron's --overlap-p2p-communication")
            + ". Make fewer cuts, or cut where activations are small.";
    case GroupRole::Expert:
        return "keep each group of experts within one fast domain. Let the exchange overlap a "
               "shared expert or another micro-batch. A lower capacity factor or tokens in 8 bits "
               "send fewer bytes.";
    case GroupRole::Context:
        return "keep each group within one fast domain. Exchange keys and values of the next part "
               "while attention computes on this one.";
    case GroupRole::Embedding:
        return "spread the tables so that each rank looks up about as much. Let the exchange of "
               "one batch overlap the dense layers of another. Half precision sends fewer bytes"
            + ofPyTorch(
                   "TorchRec's EmbeddingShardingPlanner, TrainPipelineSparseDist and quantized "
                   "communication")
            + ".";
    case GroupRole::Data:
        return share.isSharded ? onShards() : onGradients();
    case GroupRole::Unknown:
        break;
    }
    return onGradients();
}

std::string Advice::onShards() const
{
    return "gather the next layers' parameters while these compute"
        + ofPyTorch("FSDP: forward_prefetch=True, "
                    "backward_prefetch=BackwardPrefetch.BACKWARD_PRE; fully_shard: "
                    "set_modules_to_forward_prefetch")
        + ". Make units that compute long enough to hide it. Shard within a host only"
        + ofPyTorch("HYBRID_SHARD") + ", or keep parameters after the forward pass if memory allows"
        + ofPyTorch("SHARD_GRAD_OP") + ".";
}

std::string Advice::onPipeline() const
{
    return "Divide an iteration into more micro-batches, or use an interleaved schedule. Such a "
           "schedule has several chunks of layers on each stage"
        + ofPyTorch("Megatron's --num-layers-per-virtual-pipeline-stage, "
                    "ScheduleInterleaved1F1B of torch.distributed.pipelining")
        + ". If one stage computes longer than the others, move layers away from it.";
}

std::string Advice::onExposedCommunication(const std::vector<RoleShare> &roles,
                                           const std::string &bucketNote) const
{
    const std::string note = bucketNote.empty() ? bucketNote : " " + bucketNote;
    const bool isOfRoles = std::any_of(roles.begin(), roles.end(), [](const RoleShare &share) {
        return isConsiderable(share) && hasOwnAdvice(share);
    });
    if (!isOfRoles)
        return withCapital(onGradients()) + note + " No such change can gain more.";
    std::string text;
    for (const RoleShare &share : roles)
        if (isConsiderable(share))
            text += (share.role == GroupRole::Unknown ? "Other communication"
                                                      : withCapital(roleText(share)))
                + ": " + onRole(share) + " ";
    text.pop_back();
    return text + note + " No such change can gain more.";
}

std::string Advice::onHost(bool isAccelerated) const
{
    switch (m_framework) {
    case Framework::PyTorch:
        return isAccelerated
            ? "Launch less: torch.compile(mode='reduce-overhead'), CUDA graphs or larger batches. "
              "Avoid calls in the loop that wait for the device: .item(), print of a tensor, "
              "torch.cuda.synchronize()."
            : "Use fewer and larger operations: torch.compile, foreach=True in the optimizer, "
              "larger batches. Keep Python out of the loop.";
    case Framework::TensorFlowOrJax:
        return isAccelerated
            ? "Launch less: tf.function(jit_compile=True), jax.jit or larger batches. Do not read "
              "results in the loop: .numpy(), block_until_ready()."
            : "Use fewer and larger operations: tf.function(jit_compile=True), jax.jit, larger "
              "batches. Keep Python out of the loop.";
    case Framework::Unknown:
        break;
    }
    return isAccelerated
        ? "Launch less: CUDA graphs, or fewer and larger kernels. Move calls that wait for the "
          "device out of the loop: cudaDeviceSynchronize, cudaMemcpy, cudaMalloc, cudaFree."
        : "Look at the operations around the longest gaps, and use fewer and larger ones.";
}

std::string Advice::onInput() const
{
    if (m_hasInputWorkers)
        return "Load faster: more DataLoader workers, prefetch_factor=4, faster storage, less "
               "work for each sample. The input is loaded in the background already.";
    switch (m_framework) {
    case Framework::PyTorch:
        return "Load in the background: DataLoader(num_workers=4 or more, pin_memory=True, "
               "persistent_workers=True, prefetch_factor=4).";
    case Framework::TensorFlowOrJax:
        return "Load in the background and ahead of time. For tf.data: "
               "map(num_parallel_calls=tf.data.AUTOTUNE), and prefetch(tf.data.AUTOTUNE) at its "
               "end.";
    case Framework::Unknown:
        break;
    }
    return "Load in the background and ahead of time, on threads of its own.";
}

std::string Advice::onInputOf(const std::string &ranks) const
{
    return "Look at the input of " + ranks
        + ", which takes longer than the others': storage, share of the data, work for each "
          "sample. "
        + (m_hasInputWorkers ? "Loading processes are in use: do they have cores to run on?"
                             : "Check the number of loading processes.");
}

} // namespace core
