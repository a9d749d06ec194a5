#pragma once

#include "core/fit/links/link_models.h"

#include <map>

namespace core {

/// The models of transfers in a graph that may be changed. Refers to its arguments.
class TransferModels
{
public:
    TransferModels(const LinkModels &links, const Trace &trace)
        : m_links(links)
        , m_trace(trace)
    {
    }

    /// modelOf(). Of a reduce-scatter or all-gather on a link that was fitted for neither: that of
    /// an all-reduce, of which it is a half, with half of its latency. Null: there is none.
    const LinkModel *of(DeviceId link, const CollectiveNode &node);

private:
    const LinkModels &m_links;
    const Trace &m_trace;
    std::map<const LinkModel *, LinkModel> m_halves; ///< by model of an all-reduce
};

} // namespace core
