#include "core/graph/build/hand_offs.h"

#include "core/base/ascii_text.h"

#include <algorithm>
#include <cctype>

namespace core {

namespace {

    /// "c10d::allreduce_" and "all_reduce" are the same kind: letters only.
    std::string bareKind(std::string_view name)
    {
        if (const auto colon = name.rfind(':'); colon != std::string_view::npos)
            name.remove_prefix(colon + 1);
        std::string bare;
        for (const char c : name)
            if (std::isalpha(static_cast<unsigned char>(c)))
                bare += lowered(c);
        return bare;
    }

    /// Of one kind and worker, or of those in one iteration; indices, each by time.
    struct Queue
    {
        std::vector<std::size_t> handOffs, calls;
    };

    /// Some iterations have another number of calls than of hand-offs, but not most: then calls
    /// begin in the iteration in which they are handed over.
    bool isWholeInMost(const std::map<std::int32_t, Queue> &iterations)
    {
        const auto whole = std::count_if(iterations.begin(), iterations.end(), [](const auto &one) {
            return one.second.handOffs.size() == one.second.calls.size();
        });
        return 2 * static_cast<std::size_t>(whole) > iterations.size();
    }

} // namespace

HandOffs::HandOffs(const GraphContext &context)
    : m_context(context)
{
    for (const auto &[slice, op] : context.handOff) {
        const SliceId id(slice);
        const WorkerId worker = context.slices.worker(id);
        m_queued[{ worker, bareKind(context.slices.name(id)) }].push_back(
            { context.trace.toAligned(worker, context.slices.startNs(id)), op });
    }
    for (auto &[key, queue] : m_queued)
        std::sort(queue.begin(), queue.end(),
                  [](const HandOff &a, const HandOff &b) { return a.startNs < b.startNs; });
}

std::vector<std::optional<OpId>> HandOffs::of(WorkerId worker, const std::vector<Call> &calls) const
{
    std::vector<std::optional<OpId>> found(calls.size());
    std::map<std::string, std::vector<std::size_t>> byKind;
    for (std::size_t i = 0; i < calls.size(); ++i)
        byKind[bareKind(calls[i].name)].push_back(i);
    for (const auto &[kind, indices] : byKind) {
        const auto queued = m_queued.find({ worker, kind });
        if (queued == m_queued.end())
            continue;
        const std::vector<HandOff> &handOffs = queued->second;
        const auto isBefore = [&](std::size_t handOff, std::size_t call) {
            return handOffs[handOff].startNs <= calls[call].readyNs;
        };
        // The n-th hand-off is the n-th call's.
        const auto inOrder = [&](const Queue &queue) {
            std::size_t next = 0;
            for (const std::size_t call : queue.calls)
                if (next < queue.handOffs.size() && isBefore(queue.handOffs[next], call))
                    found[call] = handOffs[queue.handOffs[next++]].op;
        };
        // One has no call: each call is that of the last one before it.
        const auto fromLast = [&](const Queue &queue) {
            std::size_t left = queue.handOffs.size();
            for (auto call = queue.calls.rbegin(); call != queue.calls.rend(); ++call) {
                while (left > 0 && !isBefore(queue.handOffs[left - 1], *call))
                    --left;
                if (left > 0)
                    found[*call] = handOffs[queue.handOffs[--left]].op;
            }
        };
        Queue all { {}, indices };
        std::map<std::int32_t, Queue> iterations;
        for (std::size_t i = 0; i < handOffs.size(); ++i) {
            all.handOffs.push_back(i);
            iterations[m_context.iterationAt(worker, handOffs[i].startNs)].handOffs.push_back(i);
        }
        for (const std::size_t call : indices)
            iterations[m_context.iterationAt(worker, calls[call].readyNs)].calls.push_back(call);
        if (all.handOffs.size() == all.calls.size() || !isWholeInMost(iterations)) {
            inOrder(all);
            continue;
        }
        for (const auto &[iteration, queue] : iterations)
            if (queue.handOffs.size() > queue.calls.size())
                fromLast(queue);
            else
                inOrder(queue);
    }
    return found;
}

} // namespace core
