#pragma once

#include "tests/support/generate/gpu_ddp_job.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tests {

/// A module of a network that has parameters.
struct PublishedModule
{
    std::vector<std::uint64_t> tensorBytes; ///< its weight, then its bias
    double work = 0; ///< floating-point operations of its forward pass for one sample
};

/// One of the four models that dPRO is measured with (Hu et al., MLSys 2022, section 7.1).
struct PublishedModel
{
    std::string name;
    std::vector<PublishedModule> modules; ///< in forward order; shapes of the published networks
    int forwardOps = 0, trainingOps = 0; ///< of an iteration; training has those of inference
    double forwardMs = 0, backwardMs = 0; ///< of 32 samples on a V100

    std::size_t tensors() const;
    std::uint64_t bytes() const; ///< of all parameters, 4 bytes each
};

/// ResNet50, VGG16, InceptionV3 and BERT Base: dPRO's four models.
std::vector<PublishedModel> publishedModels();

/// Training it with DDP on so many GPUs. Links have 2.5 bytes a ns (ours): with 16 ranks BERT Base
/// then takes 453 ms, and ResNet50 114 (dPRO's Table 2: 459.62 and 138.64). Kernels' times scatter
/// by 1 %.
GpuDdpJob publishedJob(const PublishedModel &model, int ranks, int iterations);

} // namespace tests
