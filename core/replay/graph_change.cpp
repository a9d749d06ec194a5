#include "core/replay/graph_change.h"

#include <algorithm>

namespace core {

namespace {

    bool isSameDevice(const Device &a, const Device &b)
    {
        return a.worker == b.worker && a.isLink == b.isLink && a.discipline == b.discipline
            && a.capacity == b.capacity && a.creditBytes == b.creditBytes
            && a.preempts == b.preempts && a.partOf == b.partOf && a.slows == b.slows;
    }

    bool isSameEdge(const Edge &a, const Edge &b)
    {
        return a.op == b.op;
    }

} // namespace

/// Communication slows the computation of its own worker: whose an op is tells.
bool haveSameStructure(const Graph &a, const Graph &b)
{
    return a.size() == b.size() && a.predOffset == b.predOffset && a.device == b.device
        && a.worker == b.worker && a.kind == b.kind && a.priority == b.priority
        && a.bytes == b.bytes && a.rateLimit == b.rateLimit && a.stretchShare == b.stretchShare
        && std::equal(a.preds.begin(), a.preds.end(), b.preds.begin(), b.preds.end(), isSameEdge)
        && std::equal(a.devices.begin(), a.devices.end(), b.devices.begin(), b.devices.end(),
                      isSameDevice);
}

GraphChange graphChange(const Graph &from, const Graph &to)
{
    GraphChange change;
    if (&from == &to)
        return change;
    change.isStructural = !haveSameStructure(from, to);
    if (change.isStructural)
        return change;
    change.slowdown = to.slowdown / from.slowdown;
    for (std::size_t op = 0; op < from.size(); ++op) {
        const bool isLonger
            = to.durationNs[op] > from.durationNs[op] || to.delayNs[op] > from.delayNs[op];
        const bool isShorter
            = to.durationNs[op] < from.durationNs[op] || to.delayNs[op] < from.delayNs[op];
        change.isLonger = change.isLonger || isLonger;
        change.isShorter = change.isShorter || isShorter;
        change.isTransferShorter
            = change.isTransferShorter || (isShorter && to.kind[op] == OpKind::Communication);
    }
    return change;
}

} // namespace core
