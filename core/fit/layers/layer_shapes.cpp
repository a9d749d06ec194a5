#include "core/fit/layers/layer_shapes.h"

#include "core/model/gradient_names.h"

#include <algorithm>
#include <limits>

namespace core {

LayerShapes::LayerShapes(const Trace &trace, const std::vector<const Track *> &tracks,
                         const OpShapes &shapes, const MemoryPasses &passes)
    : m_trace(trace)
    , m_shapes(shapes)
    , m_passes(passes)
{
    for (const Track *track : tracks)
        if (!shapes.ofRow[track->id.value].empty())
            m_threads.push_back(track->id);
    for (const TrackId thread : m_threads)
        findParameters(trace.tracks[thread.value]);
    for (const TrackId thread : m_threads)
        findRows(trace.tracks[thread.value]);
}

std::string_view LayerShapes::nameOf(SliceIndex::Place place) const
{
    return m_trace.nameOf(m_trace.slices[place.track.value].name[place.row]);
}

/// A gradient that is added up has its parameter's shape, and so has what the optimizer works on.
void LayerShapes::findParameters(const Track &track)
{
    const SliceColumns &slices = m_trace.slices[track.id.value];
    for (std::size_t row = 0; row < slices.size(); ++row)
        if (slices.phase[row] == Phase::Optimizer
            || nameOf({ track.id, row }).ends_with(GradientSuffix))
            for (const Shape &shape : m_shapes.of(track.id, row))
                if (elementsOf(shape) > 1)
                    m_batch.parameters.insert(shape);
}

void LayerShapes::findRows(const Track &track)
{
    const SliceColumns &slices = m_trace.slices[track.id.value];
    for (std::size_t row = 0; row < slices.size(); ++row)
        if (slices.phase[row] == Phase::Forward && hasShapes({ track.id, row }))
            if (const auto rows
                = productRows(nameOf({ track.id, row }), m_shapes.of(track.id, row), m_batch))
                m_batch.rows.insert(*rows);
}

bool LayerShapes::hasShapes(SliceIndex::Place place) const
{
    return !m_shapes.of(place.track, place.row).empty();
}

/// The mean over its arguments: what their types say is in the bytes.
double LayerShapes::elementBytes(SliceIndex::Place place) const
{
    const auto elements = static_cast<double>(elementsOf(m_shapes.of(place.track, place.row)));
    const auto bytes = static_cast<double>(m_trace.slices[place.track.value].bytes[place.row]);
    return elements > 0 ? bytes / elements : 0;
}

double LayerShapes::streamedBytes(SliceIndex::Place place) const
{
    return streamedElements(nameOf(place), m_shapes.of(place.track, place.row), m_passes)
        * elementBytes(place);
}

bool LayerShapes::isProduct(SliceIndex::Place place) const
{
    const OpClass kind = opClass(nameOf(place));
    return hasShapes(place) && (kind == OpClass::Product || kind == OpClass::Convolution);
}

/// Activations may have a parameter's shape, but begin with the batch.
bool LayerShapes::isOnWeightsOnly(SliceIndex::Place place) const
{
    bool isAny = false;
    for (const Shape &shape : m_shapes.of(place.track, place.row)) {
        if (elementsOf(shape) <= 1)
            continue;
        if (!m_batch.parameters.contains(shape) || m_batch.rows.contains(shape.front()))
            return false;
        isAny = true;
    }
    return isAny;
}

/// As aten::linear does, whose own arguments do not tell how it multiplies.
bool LayerShapes::holdsProducts(SliceIndex::Place place) const
{
    const SliceColumns &slices = m_trace.slices[place.track.value];
    for (std::size_t row = place.row + 1;
         row < slices.size() && slices.startNs[row] < slices.endNs(place.row); ++row)
        if (isProduct({ place.track, row }))
            return true;
    return false;
}

/// Empty where its shapes do not tell. A share is of the op's own time.
std::optional<WorkShapes> LayerShapes::ofOp(SliceIndex::Place place) const
{
    if (!hasShapes(place))
        return std::nullopt;
    WorkShapes found { 1, 0, 0 };
    if (isProduct(place)) {
        const auto elements
            = fixedElements(nameOf(place), m_shapes.of(place.track, place.row), m_batch, m_passes);
        if (!elements)
            return std::nullopt;
        found.fixedBytes = *elements * elementBytes(place);
    } else if (isOnWeightsOnly(place)) {
        found.fixedShare = 1;
    }
    return found;
}

WorkShapes LayerShapes::ofLaunches(SliceIndex::Place place) const
{
    return ofOp(place).value_or(WorkShapes {});
}

WorkShapes LayerShapes::ofHostSlice(SliceIndex::Place place) const
{
    const SliceColumns &slices = m_trace.slices[place.track.value];
    const std::int64_t endNs = slices.endNs(place.row);
    const auto wholeNs
        = static_cast<double>(std::max<std::int64_t>(1, slices.durationNs[place.row]));
    WorkShapes sum;
    std::int64_t coveredUntilNs = std::numeric_limits<std::int64_t>::min();
    for (std::size_t row = place.row; row < slices.size() && slices.startNs[row] < endNs; ++row) {
        const SliceIndex::Place inner { place.track, row };
        if (slices.startNs[row] < coveredUntilNs || !hasShapes(inner)
            || (!isProduct(inner) && holdsProducts(inner)))
            continue;
        coveredUntilNs = std::min(endNs, slices.endNs(row));
        const auto op = ofOp(inner);
        if (!op)
            continue;
        const double share = static_cast<double>(coveredUntilNs - slices.startNs[row]) / wholeNs;
        sum.knownShare += share;
        sum.fixedShare += share * op->fixedShare;
        sum.fixedBytes += op->fixedBytes;
    }
    return sum;
}

void LayerShapes::visitStreamingOps(const std::function<void(SliceIndex::Place)> &visit) const
{
    for (const TrackId thread : m_threads) {
        const SliceColumns &slices = m_trace.slices[thread.value];
        std::int64_t coveredUntilNs = std::numeric_limits<std::int64_t>::min();
        for (std::size_t row = 0; row < slices.size(); ++row) {
            const SliceIndex::Place place { thread, row };
            if (slices.startNs[row] < coveredUntilNs || !hasShapes(place)
                || opClass(nameOf(place)) != OpClass::Streaming)
                continue;
            coveredUntilNs = slices.endNs(row);
            visit(place);
        }
    }
}

} // namespace core
