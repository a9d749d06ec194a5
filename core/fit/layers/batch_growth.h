#pragma once

#include "core/graph/graph.h"
#include "core/model/op_shapes.h"
#include "core/model/trace.h"

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace core {

/// What part of a layer's time does not grow with the batch, 0..1.
struct FixedShare
{
    float likely = 0;
    float most = 1; ///< upper end of its 95 % interval; the lower one is 0
};

/// Of the layers' ops, by the slice (SliceId::value) that they stand for. Of one that is not here
/// nothing is known.
using BatchGrowth = std::unordered_map<std::uint64_t, FixedShare>;

/// Time = flops / F + bytes / B, the additive form of the roofline (Williams, Waterman and
/// Patterson 2009): of a product or a convolution the bytes of weights and of their gradients do
/// not grow with the batch, everything else does. B is found from the rank's own ops that only pass
/// over memory, and holds for its products, too: within one recording all products of a fully
/// connected model have flops and weights in one proportion, the batch, so no fit of products alone
/// tells the two terms apart; and the flops' term, of whatever rate, is what remains of an op's
/// time. That bytes may be hidden behind flops (the roofline proper) is the interval's lower end,
/// 0. How often memory is passed over for a byte: see MemoryPasses.
///
/// `graph` is what will be scaled: its durations may be shorter than the slices'.
BatchGrowth batchGrowth(const Trace &trace, const OpShapes &shapes, const Graph &graph);

enum class BatchReading {
    Likely,
    AllGrows, ///< bytes are hidden: time goes with the batch
    LeastGrows ///< as little grows as the 95 % interval has it; nothing where nothing is known
};

/// How layers' time goes with the batch.
struct BatchModel
{
    std::shared_ptr<const BatchGrowth> growth; ///< null: nothing is known
    BatchReading reading = BatchReading::Likely;

    /// What part of a slice's time does not grow. Where nothing is known all is likely to grow.
    double fixedShare(SliceId slice) const;
    BatchModel read(BatchReading other) const { return { growth, other }; }
};

/// What shares of all layers' time in a graph the model takes not to grow with the batch.
struct FixedTime
{
    double likely = 0, most = 1;
};
FixedTime fixedTimeOf(const Graph &graph, const BatchModel &batch);

} // namespace core
