#include "core/import/kineto/collective_kernels.h"

#include "core/base/ascii_text.h"
#include "core/import/kineto/kineto_collectives.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace core {

namespace {

    struct KnownKernel
    {
        std::string_view text;
        std::string_view collective;
    };

    /// Words of a function's name, in lower case and without underscores. They begin where a word
    /// does: in front of it is no small letter of the same case.
    constexpr std::array KernelWords = {
        // vLLM csrc/custom_all_reduce.cuh, SGLang sgl-kernel, aiter csrc/include
        KnownKernel { "crossdevicereduce", "allreduce" },
        // vLLM and aiter csrc/quickreduce: quickreduce::allreduce_prototype_twoshot;
        // TensorRT-LLM customAllReduceKernels.cu: oneShotAllReduceKernel, lamport_style_...;
        // FlashInfer trtllm_allreduce_fusion.cuh, trtllm_mnnvl_allreduce.cuh; aiter
        // allreduce_fusion_kernel; PyTorch CUDASymmetricMemoryOps.cu: multimem_all_reduce_kernel
        KnownKernel { "allreduce", "allreduce" },
        // PyTorch CUDASymmetricMemoryOps.cu: multimem_one_shot_reduce_kernel
        KnownKernel { "multimemoneshotreduce", "reduce" },
        // aiter: reduce_scatter_cross_device_store; MSCCL++ and oneCCL: reduce_scatter
        KnownKernel { "reducescatter", "reducescatter" },
        // aiter: allgather_vec, allgather_lastdim; PyTorch: multimem_all_gather_kernel
        KnownKernel { "allgather", "allgather" },
        // TensorRT-LLM fusedMoeCommKernels.cu: moeAllToAllKernel; PyTorch nvshmem_extension.cu
        KnownKernel { "alltoall", "alltoall" },
        // TensorRT-LLM moeAlltoAllKernels.cu: moeA2ADispatchKernel, moeA2ACombineKernel
        KnownKernel { "moea2a", "alltoall" },
        // Transformer Engine userbuffers.cu: userbuffers_fp16_sum_inplace_gpu_rw, kuserbuffers_...
        KnownKernel { "userbuffers", "other" },
        KnownKernel { "kuserbuffers", "other" },
    };

    /// Beginnings of a function's name with its namespaces. A name that a word tells more of is
    /// that collective.
    constexpr std::array KernelBeginnings = {
        // DeepEP csrc/kernels: intranode.cu, internode.cu, internode_ll.cu
        KnownKernel { "deep_ep::intranode::dispatch", "alltoall" },
        KnownKernel { "deep_ep::intranode::combine", "alltoall" },
        KnownKernel { "deep_ep::internode::dispatch", "alltoall" },
        KnownKernel { "deep_ep::internode::combine", "alltoall" },
        KnownKernel { "deep_ep::internode_ll::dispatch", "alltoall" },
        KnownKernel { "deep_ep::internode_ll::combine", "alltoall" },
        KnownKernel { "deep_ep::intranode::", "other" },
        KnownKernel { "deep_ep::internode::", "other" },
        KnownKernel { "deep_ep::internode_ll::", "other" },
        // pplx-kernels csrc/all_to_all, mori src/ops/dispatch_combine
        KnownKernel { "pplx::", "alltoall" }, KnownKernel { "mori::moe::Ep", "alltoall" },
        KnownKernel { "mscclpp::", "other" }, // MSCCL++ namespace of all its kernels
        KnownKernel { "nvshmem", "other" }, // NVSHMEM src/device: nvshmemi_barrier_...
        KnownKernel { "oneccl_", "other" }, // oneCCL src/coll/algorithms: oneccl_allreduce_large
        KnownKernel { "hcom_", "other" }, // HCCL: hcom_allReduce__310_0_1
        KnownKernel { "Hccl", "other" }, // HCCL: HcclAllReduce
        KnownKernel { "hccl", "other" }, // Habana's HCCL
    };

    /// Words of kernels that compute, whatever they communicate beside it.
    constexpr std::array<std::string_view, 4> ComputeWords
        = { "gemm", "matmul", "triton_", "attention" };

    /// Name without "void ", "typeinfo name for " and an anonymous namespace, template and
    /// function arguments.
    std::string_view functionName(std::string_view name)
    {
        for (const std::string_view prefix :
             { std::string_view("void "), std::string_view("typeinfo name for "),
               std::string_view("(anonymous namespace)::") })
            if (name.starts_with(prefix))
                name.remove_prefix(prefix.size());
        return name.substr(0, name.find_first_of("<("));
    }

    bool isSmall(char c)
    {
        return c >= 'a' && c <= 'z';
    }

    /// Whether a word may begin at `at`: "twoShotAllReduce" and "two_shot_allreduce" do have an
    /// all-reduce, "small_reduce" has none.
    bool isWordStart(std::string_view text, std::size_t at)
    {
        return at == 0 || !isSmall(text[at - 1]) || !isSmall(text[at]);
    }

    /// `word` in lower case; underscores of the text are passed over.
    bool hasWordAt(std::string_view text, std::size_t at, std::string_view word)
    {
        std::size_t done = 0;
        for (; at < text.size() && done < word.size(); ++at)
            if (lowered(text[at]) == word[done])
                ++done;
            else if (text[at] != '_' || done == 0)
                return false;
        return done == word.size();
    }

    /// Reductions of one block or warp of threads have the same words in front of them.
    bool isOfThreads(std::string_view before)
    {
        if (before.ends_with('_'))
            before.remove_suffix(1);
        return before.ends_with("warp") || before.ends_with("Warp") || before.ends_with("block")
            || before.ends_with("Block");
    }

    std::optional<std::string_view> wordOf(std::string_view function)
    {
        for (std::size_t at = 0; at < function.size(); ++at) {
            if (!isWordStart(function, at) || isOfThreads(function.substr(0, at)))
                continue;
            for (const KnownKernel &known : KernelWords)
                if (hasWordAt(function, at, known.text))
                    return known.collective;
        }
        return std::nullopt;
    }

    bool computes(std::string_view function)
    {
        std::string simple;
        for (const char c : function)
            simple += lowered(c);
        return std::any_of(
            ComputeWords.begin(), ComputeWords.end(),
            [&simple](std::string_view word) { return simple.find(word) != std::string::npos; });
    }

} // namespace

std::optional<std::string_view> knownCollectiveKernel(std::string_view name)
{
    const std::string_view function = functionName(name);
    // A namespace says where a kernel is from, its own name what it does.
    const std::size_t scope = function.rfind("::");
    const std::string_view own
        = scope == std::string_view::npos ? function : function.substr(scope + 2);
    const auto *const begun
        = std::find_if(KernelBeginnings.begin(), KernelBeginnings.end(),
                       [function](const KnownKernel &k) { return function.starts_with(k.text); });
    std::optional<std::string_view> word;
    if (begun == KernelBeginnings.end() || begun->collective == "other")
        word = wordOf(own);
    if (!word && begun == KernelBeginnings.end())
        return std::nullopt;
    if (computes(own))
        return std::nullopt;
    return word ? word : begun->collective;
}

std::string_view collectiveOfOp(std::string_view name)
{
    const std::size_t scope = name.rfind("::");
    if (scope == std::string_view::npos)
        return {};
    std::string_view own = name.substr(scope + 2);
    own.remove_prefix(std::min(own.find_first_not_of('_'), own.size()));
    // There are many ops: few begin as one of the four.
    if (!own.starts_with("all") && !own.starts_with("All") && !own.starts_with("reduce")
        && !own.starts_with("Reduce"))
        return {};
    const std::string_view kind = collectiveKind(own);
    const bool isCollective = kind == "all_reduce" || kind == "all_gather"
        || kind == "reduce_scatter" || kind == "all_to_all";
    return isCollective ? kind : std::string_view();
}

bool isHelperKernel(std::string_view name)
{
    const std::string_view function = functionName(name);
    if (function.starts_with("at::") || function.starts_with("triton_")
        || function.starts_with("cub::"))
        return true;
    std::string simple;
    for (const char c : function)
        simple += lowered(c);
    for (const std::string_view word : { std::string_view("elementwise"), std::string_view("copy"),
                                         std::string_view("catarray"), std::string_view("fill") })
        if (simple.find(word) != std::string::npos)
            return true;
    return computes(function);
}

} // namespace core
