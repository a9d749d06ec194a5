#include "core/fit/links/transfer_models.h"

namespace core {

namespace {

    LinkModel halfOf(const LinkModel &allReduce)
    {
        LinkModel half = allReduce;
        half.alphaNs /= 2;
        half.alphaLowNs /= 2;
        half.alphaHighNs /= 2;
        half.steps /= 2;
        half.meanBytes /= 2;
        half.queue.latencyNs /= 2;
        half.steadyLatencyNs /= 2;
        return half;
    }

} // namespace

const LinkModel *TransferModels::of(DeviceId link, const CollectiveNode &node)
{
    if (const LinkModel *const own = modelOf(m_links, link, node, m_trace))
        return own;
    if (node.name != "reduce_scatter" && node.name != "all_gather")
        return nullptr;
    CollectiveNode whole = node;
    whole.name = "all_reduce";
    const LinkModel *const model = modelOf(m_links, link, whole, m_trace);
    if (model == nullptr)
        return nullptr;
    if (const auto known = m_halves.find(model); known != m_halves.end())
        return &known->second;
    return &m_halves.emplace(model, halfOf(*model)).first->second;
}

} // namespace core
