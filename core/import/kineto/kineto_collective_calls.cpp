#include "core/import/kineto/kineto_collective_calls.h"

#include "core/import/kineto/collective_kernels.h"
#include "core/import/kineto/kineto_collectives.h"

#include <limits>
#include <utility>

namespace core {

namespace {

    /// About what a map takes for an entry.
    constexpr std::size_t BytesPerLink = 80;
    /// Ops nest two or three deep: PyTorch's around a coalesced one's.
    constexpr std::size_t MostNested = 8;

    /// What a kernel's name says better: `coalesced` and `wait` are no collectives, and one kernel
    /// runs several sends and receives.
    bool namesCollective(std::string_view name)
    {
        const std::string_view kind = collectiveKind(name);
        return kind != "other" && kind != "send" && kind != "recv";
    }

    /// The input's elements where only their number is known of it.
    std::optional<std::int64_t> elementsOf(std::string_view dims)
    {
        const auto elements = firstArgumentElements(dims);
        return elements && *elements <= std::numeric_limits<std::int64_t>::max()
            ? std::optional(static_cast<std::int64_t>(*elements))
            : std::nullopt;
    }

} // namespace

bool KinetoCollectiveCalls::takeRoom(std::size_t sizeBytes)
{
    if (m_heldBytes + sizeBytes > m_mostBytes)
        return false;
    m_heldBytes += sizeBytes;
    return true;
}

bool KinetoCollectiveCalls::addCall(WorkerId worker, const ChromeEvent &event, TimeRange range)
{
    const ChromeArgs &args = event.args;
    // A debugger's dump may hold anything: dimensions of a size beyond all sense are none.
    const bool hasDims = args.inputDims.size() + args.inputTypes.size() <= MaximumKeptTextBytes;
    const std::size_t texts = args.collectiveName.size() + args.processGroup.size()
        + args.dtype.size() + (hasDims ? args.inputDims.size() + args.inputTypes.size() : 0);
    if (!takeRoom(sizeof(Call) + texts + event.pid.size() + event.tid.size() + 2 * BytesPerLink))
        return false;
    m_calls.push_back({ std::string(args.collectiveName), std::string(args.processGroup),
                        std::string(args.dtype), std::string(hasDims ? args.inputDims : ""),
                        std::string(hasDims ? args.inputTypes : ""), args.collectiveSequence,
                        args.groupSize, args.inElements, false });
    Call &call = m_calls.back();
    m_hasSequences = m_hasSequences || call.sequence;
    if (args.externalId != 0)
        m_byExternalId.emplace(Link(worker, args.externalId), &call);
    threadOf(event).calls.emplace(range.startNs, std::pair(range.endNs, &call));
    return true;
}

bool KinetoCollectiveCalls::addOp(WorkerId worker, const ChromeEvent &event)
{
    const std::string_view kind = collectiveOfOp(event.name);
    if (kind.empty() || event.args.externalId == 0)
        return true;
    if (!takeRoom(BytesPerLink))
        return false;
    m_ops.emplace(Link(worker, event.args.externalId), kind);
    return true;
}

/// The innermost one; null or empty where there is none.
template <class T>
T KinetoCollectiveCalls::enclosing(const ByStart<T> &byStart, std::int64_t timeNs)
{
    auto after = byStart.upper_bound(timeNs);
    for (std::size_t i = 0; i < MostNested && after != byStart.begin(); ++i)
        if ((--after)->second.first > timeNs)
            return after->second.second;
    return {};
}

KinetoCollectiveCalls::Thread &KinetoCollectiveCalls::threadOf(const ChromeEvent &event)
{
    m_threadKey.assign(event.pid).append(1, '\0').append(event.tid);
    return m_threads[m_threadKey];
}

bool KinetoCollectiveCalls::addTitle(const ChromeEvent &event, TimeRange range)
{
    const std::string_view name = event.name.substr(TitlePrefix.size());
    if (!namesCollective(name))
        return true;
    if (!takeRoom(BytesPerLink + event.pid.size() + event.tid.size()))
        return false;
    threadOf(event).titles.emplace(range.startNs, std::pair(range.endNs, collectiveKind(name)));
    return true;
}

bool KinetoCollectiveCalls::addLaunch(WorkerId worker, const ChromeEvent &event,
                                      std::int64_t startNs)
{
    if (empty() || event.args.correlation == 0)
        return true;
    m_threadKey.assign(event.pid).append(1, '\0').append(event.tid);
    const auto thread = m_threads.find(m_threadKey);
    if (thread == m_threads.end())
        return true;
    const Origin origin { enclosing(thread->second.calls, startNs),
                          enclosing(thread->second.titles, startNs) };
    if (origin.call == nullptr && origin.title.empty())
        return true;
    if (!takeRoom(BytesPerLink))
        return false;
    m_byCorrelation.emplace(Link(worker, event.args.correlation), origin);
    return true;
}

bool KinetoCollectiveCalls::isIncomplete(const ChromeEvent &event) const
{
    const ChromeArgs &args = event.args;
    const bool isComplete = !args.processGroup.empty() && args.inElements
        && (args.collectiveSequence || !m_hasSequences);
    return !isComplete && communicationKernel(event.name);
}

bool KinetoCollectiveCalls::nameByOp(WorkerId worker, ChromeEvent &kernel) const
{
    ChromeArgs &args = kernel.args;
    if ((m_ops.empty() && m_byExternalId.empty()) || args.externalId == 0
        || args.externalId == args.correlation || !args.collectiveName.empty())
        return false;
    const Link link(worker, args.externalId);
    const auto call = m_byExternalId.find(link);
    const auto op = m_ops.find(link);
    std::string_view name;
    if (call != m_byExternalId.end() && namesCollective(call->second->name))
        name = call->second->name;
    else if (op != m_ops.end())
        name = op->second;
    if (name.empty() || communicationKernel(kernel.name) || isHelperKernel(kernel.name))
        return false;
    args.collectiveName = name;
    return true;
}

KinetoCollectiveCalls::Origin KinetoCollectiveCalls::originOf(WorkerId worker,
                                                              const ChromeEvent &kernel) const
{
    const ChromeArgs &args = kernel.args;
    Origin origin; // of a launch within an annotation only, a title without a call
    if (const auto launched = m_byCorrelation.find(Link(worker, args.correlation));
        launched != m_byCorrelation.end())
        origin = launched->second;
    // Before PyTorch 2.0 kernels have their correlation there, which may be any op's id.
    if (origin.call || args.externalId == 0 || args.externalId == args.correlation)
        return origin;
    if (const auto linked = m_byExternalId.find(Link(worker, args.externalId));
        linked != m_byExternalId.end())
        origin.call = linked->second;
    return origin;
}

void KinetoCollectiveCalls::nameCollective(const Origin &origin, ChromeEvent &kernel)
{
    std::string_view &name = kernel.args.collectiveName;
    if (!name.empty())
        return;
    const std::string_view ofKernel = communicationKernel(kernel.name).value_or(kernel.name);
    if (origin.call && namesCollective(origin.call->name))
        name = origin.call->name;
    else if (collectiveKind(ofKernel) == "send_recv")
        name = origin.title;
}

bool KinetoCollectiveCalls::complete(WorkerId worker, ChromeEvent &kernel)
{
    const Origin origin = originOf(worker, kernel);
    if (origin.call == nullptr && origin.title.empty())
        return false;
    nameCollective(origin, kernel);
    Call *call = origin.call;
    if (call == nullptr)
        return true;
    ChromeArgs &args = kernel.args;
    if (args.processGroup.empty())
        args.processGroup = call->group;
    if (!args.groupSize)
        args.groupSize = call->groupSize;
    if (std::exchange(call->hasKernel, true))
        return true;
    if (!args.collectiveSequence && namesCollective(call->name))
        args.collectiveSequence = call->sequence;
    if (!args.inElements) {
        args.inElements = call->inElements ? call->inElements : elementsOf(call->inputDims);
        args.dtype = !call->dtype.empty() ? std::string_view(call->dtype)
                                          : firstArgumentType(call->inputTypes);
    }
    return true;
}

bool KinetoCollectiveCalls::hold(HeldKernel kernel)
{
    if (!takeRoom(sizeof(HeldKernel) + kernel.text.size()))
        return false;
    m_held.push_back(std::move(kernel));
    return true;
}

std::vector<HeldKernel> KinetoCollectiveCalls::take()
{
    return std::exchange(m_held, {});
}

} // namespace core
