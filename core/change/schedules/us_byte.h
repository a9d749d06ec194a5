#pragma once

#include "core/base/job_control.h"

#include <cstddef>
#include <vector>

namespace core {

/// Layers whose gradients are reduced over one link, one message at a time. Times in ns; layers in
/// forward order. The backward pass goes through them from the last one to the first.
struct LayerChain
{
    std::vector<double> forwardNs, backwardNs, bytes; ///< [layers]
    double alphaNs = 0, nsPerByte = 0; ///< of a message
    double blockBytes = 0; ///< what a layer can be cut into; above 0
};

/// What the link sends: blocks of one layer that go together.
struct BlockMessage
{
    std::size_t layer = 0;
    double bytes = 0;
};

struct UsByteSchedule
{
    std::vector<BlockMessage> messages; ///< in the order of sending
    double iterationNs = 0; ///< from the begin of the backward pass to the end of the next forward
};

/// US-Byte's two phases (Gao et al., "US-Byte: An Efficient Communication Framework for Scheduling
/// Unequal-Sized Tensor Blocks", IEEE TPDS 2023) with `order` (layers, the most urgent first) as
/// the backward pass's priorities.
/// - Phase 1: while gradients become ready, a free link takes the most urgent layer that is there:
///   blocks until the next gradient is ready, which the last of them may exceed, one at least.
///   Blocks of a layer that follow its own are the same message.
/// - Phase 2: then the rest in forward order. A layer's forward pass waits for its own bytes.
UsByteSchedule usByteSchedule(const LayerChain &chain, const std::vector<std::size_t> &order);

/// US-Byte's search: from the forward order, each layer from the last one on is moved before the
/// layer in whose backward pass its own last byte is sent; kept if the iteration becomes shorter.
/// As published it takes a block size as given and may be slower than whole layers in the order of
/// readiness where latency weighs most; then these are returned. O(n^2 log n) with n layers. Throws
/// Cancelled.
UsByteSchedule usByte(const LayerChain &chain, const JobControl &control = {});

/// Whole layers in the order of readiness (WFBP), and a forward pass that waits for its layers.
UsByteSchedule wholeLayers(const LayerChain &chain);

} // namespace core
