#include "collectors/cupti/cupti_session.h"

#include "collectors/cupti/driver_state.h"
#include "collectors/format/errno_guard.h"
#include "collectors/format/message.h"

#include <time.h>

#include <array>
#include <utility>

namespace collectors {

namespace {

    std::atomic<CuptiSession *> theSession { nullptr };

    std::int64_t realtimeNs()
    {
        timespec now {};
        clock_gettime(CLOCK_REALTIME, &now);
        return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    }

    struct GroupKind
    {
        unsigned group;
        std::uint32_t kind;
    };
    /// Without kernels.
    constexpr std::array GroupKinds
        = { GroupKind { GroupCopies, cupti::ActivityMemcpy },
            GroupKind { GroupCopies, cupti::ActivityMemcpyPeer },
            GroupKind { GroupCopies, cupti::ActivityMemset },
            GroupKind { GroupSync, cupti::ActivityContext },
            GroupKind { GroupSync, cupti::ActivityCudaEvent },
            GroupKind { GroupSync, cupti::ActivitySynchronization },
            GroupKind { GroupExternal, cupti::ActivityExternalCorrelation },
            GroupKind { GroupDriver, cupti::ActivityDriver },
            GroupKind { GroupRuntime, cupti::ActivityRuntime } };

} // namespace

CuptiSession::CuptiSession(const CuptiSettings &settings, ThreadLogs &logs,
                           std::function<void()> wake)
    : m_settings(settings)
    , m_logs(logs)
    , m_wake(std::move(wake))
    , m_pool(settings.bufferBytes)
{
}

CuptiSession *CuptiSession::start(const CuptiSettings &settings, ThreadLogs &logs,
                                  std::function<void()> wake, std::string &error)
{
    std::unique_ptr<CuptiSession> session(new CuptiSession(settings, logs, std::move(wake)));
    if (!loadCupti(settings.libcupti, session->m_library, error))
        return nullptr;
    error = session->subscribe();
    if (!error.empty())
        return nullptr;
    theSession.store(session.get(), std::memory_order_release);
    const cupti::Result result
        = session->m_library.registerCallbacks(&onBufferRequested, &onBufferCompleted);
    if (result != cupti::Success) { // nothing is enabled that could call the session
        theSession.store(nullptr, std::memory_order_release);
        if (session->m_library.unsubscribe != nullptr) // another profiler may have it
            session->m_library.unsubscribe(session->m_subscriber);
        error = "CUPTI takes no buffers: " + session->m_library.describe(result);
        return nullptr;
    }
    CuptiSession *raw = session.release(); // CUPTI keeps it
    if (raw->m_library.setThreadIdType != nullptr)
        raw->m_library.setThreadIdType(cupti::ThreadIdSystem);
    for (const std::uint32_t id :
         { cupti::GraphNodeCreated, cupti::GraphNodeCloned, cupti::GraphNodeDependencyCreated })
        raw->m_library.enableCallback(1, raw->m_subscriber, cupti::Resource, id);
    raw->setKernels(settings.graphs == GraphMode::Nodes && (settings.groups & GroupKernels) != 0);
    return raw;
}

/// "" if it worked.
std::string CuptiSession::subscribe()
{
    std::array<char, 128> owner {};
    cupti::SubscriberParams params { sizeof(params), "longpole", owner.data(), owner.size() };
    const cupti::Result result = m_library.subscribe2 != nullptr
        ? m_library.subscribe2(&m_subscriber, &onCallback, nullptr, &params)
        : m_library.subscribe(&m_subscriber, &onCallback, nullptr);
    owner.back() = '\0';
    switch (result) {
    case cupti::Success:
        return {};
    case cupti::MultipleSubscribers:
        return (owner.front() != '\0' ? std::string(owner.data()) : "another profiler")
            + " uses CUPTI in this process already, and only one can: record without it";
    case cupti::InsufficientPrivileges:
    case cupti::VirtualizedWithoutPrivileges:
        return "tracing is not permitted here (" + m_library.describe(result)
            + "): see the driver's option NVreg_RestrictProfilingToAdminUsers";
    default: {
        const std::string trouble = describeDriverTrouble(false);
        return !trouble.empty() ? trouble : "CUPTI refused: " + m_library.describe(result);
    }
    }
}

void CuptiSession::setKernels(bool isOn)
{
    if ((m_settings.groups & GroupKernels) == 0 || isOn == m_hasKernels)
        return;
    const std::uint32_t kind = m_settings.graphs == GraphMode::Whole && isOn
        ? cupti::ActivityGraphTrace
        : cupti::ActivityKernel;
    m_hasKernels = isOn;
    if (!isOn) {
        m_library.disable(cupti::ActivityKernel);
        if (m_settings.graphs == GraphMode::Whole)
            m_library.disable(cupti::ActivityGraphTrace);
        return;
    }
    cupti::Result result = m_library.enable(cupti::ActivityKernel);
    if (result == cupti::Success && kind != cupti::ActivityKernel)
        result = m_library.enable(kind);
    if (result != cupti::Success && !m_hasComplained) {
        m_hasComplained = true;
        say("kernels are not recorded: " + m_library.describe(result));
    }
}

/// What was refused, "" if nothing.
std::string CuptiSession::enableAll()
{
    std::string refused;
    for (const GroupKind &item : GroupKinds) {
        if ((m_settings.groups & item.group) == 0)
            continue;
        const cupti::Result result = m_library.enable(item.kind);
        if (result != cupti::Success)
            refused += (refused.empty() ? "" : ", ") + std::to_string(item.kind) + ' '
                + m_library.describe(result);
    }
    quieten();
    return refused;
}

/// Calls that come by the thousand and say nothing; enabling a kind turns them on again.
void CuptiSession::quieten()
{
    if ((m_settings.groups & GroupSync) != 0 && m_library.enableAllSyncRecords != nullptr)
        m_library.enableAllSyncRecords(0);
    if ((m_settings.groups & GroupRuntime) != 0 && m_library.enableRuntimeApi != nullptr) {
        for (const std::uint32_t id :
             { cupti::CudaGetLastError, cupti::CudaPeekAtLastError, cupti::CudaGetDevice })
            m_library.enableRuntimeApi(id, 0);
    }
    if ((m_settings.groups & GroupDriver) != 0 && m_library.enableDriverApi != nullptr) {
        for (const std::uint32_t id : { cupti::CuCtxGetCurrent, cupti::CuDevicePrimaryCtxGetState,
                                        cupti::CuKernelGetAttribute })
            m_library.enableDriverApi(id, 0);
    }
}

void CuptiSession::setRecording(bool isOn, std::int64_t nowNs)
{
    if (isOn == m_isRecording)
        return;
    m_isRecording = isOn;
    m_changes.push_back({ isOn, nowNs });
    if (isOn || m_settings.graphs != GraphMode::Nodes)
        setKernels(isOn);
    if (isOn) {
        const std::string refused = enableAll();
        if (!refused.empty() && !m_hasComplained) {
            m_hasComplained = true;
            say("CUPTI does not record all that was asked for (kinds " + refused + ")");
        }
        return;
    }
    for (const GroupKind &item : GroupKinds) {
        if ((m_settings.groups & item.group) != 0)
            m_library.disable(item.kind);
    }
}

void CuptiSession::flush(bool isForced)
{
    m_library.flushAll(isForced ? std::uint32_t { cupti::FlushForced } : 0);
}

bool CuptiSession::readBuffers(ActivityReader &reader)
{
    bool hasAny = false;
    for (auto filled = m_pool.next(); filled.data != nullptr; filled = m_pool.next()) {
        reader.read(filled.data, filled.validBytes);
        m_pool.release(filled);
        hasAny = true;
    }
    return hasAny;
}

void CuptiSession::passWindows(ActivityReader &reader)
{
    for (const Change &change : m_changes) {
        if (change.isOn)
            reader.openWindow(change.timeNs);
        else
            reader.closeWindow(change.timeNs);
    }
    m_changes.clear();
}

std::uint64_t CuptiSession::takeDropped()
{
    std::size_t count = 0;
    return m_library.droppedRecords(nullptr, 0, &count) == cupti::Success ? count : 0;
}

/// Of several tries the one that was interrupted least.
std::int64_t CuptiSession::measureClockOffset() const
{
    constexpr int Tries = 5;
    constexpr std::int64_t ToleranceNs = 20'000; // it may be read from another register
    std::int64_t offsetNs = 0;
    std::int64_t leastNs = INT64_MAX;
    for (int i = 0; i < Tries; ++i) {
        std::uint64_t cuptiNs = 0;
        const std::int64_t before = realtimeNs();
        if (m_library.getTimestamp(&cuptiNs) != cupti::Success)
            return 0;
        const std::int64_t after = realtimeNs();
        const auto between = static_cast<std::int64_t>(cuptiNs);
        if (between >= before - ToleranceNs && between <= after + ToleranceNs)
            return 0;
        if (after - before < leastNs) {
            leastNs = after - before;
            offsetNs = between - (before + leastNs / 2);
        }
    }
    return offsetNs;
}

void CuptiSession::watchLaunches(bool isOn)
{
    const std::uint32_t enable = isOn ? 1 : 0;
    m_isWatching = isOn;
    m_launches.store(0, std::memory_order_relaxed);
    for (const std::uint32_t id : { cupti::CudaLaunchKernel, cupti::CudaLaunchKernelExC })
        m_library.enableCallback(enable, m_subscriber, cupti::RuntimeApi, id);
    for (const std::uint32_t id : { cupti::CuLaunchKernel, cupti::CuLaunchKernelEx })
        m_library.enableCallback(enable, m_subscriber, cupti::DriverApi, id);
}

/// Whoever registers buffers last gets all records, and CUPTI tells nobody. Launches are only
/// watched after silence, since that costs each of them.
void CuptiSession::checkForTakeover(std::int64_t nowNs)
{
    constexpr std::int64_t SilenceNs = 5'000'000'000;
    const bool isSilent = m_isRecording && !m_hasGivenBack.exchange(false);
    if (!isSilent || m_hasWarned || m_silentSinceNs == 0) {
        m_silentSinceNs = nowNs;
        if (m_isWatching)
            watchLaunches(false);
        return;
    }
    if (!m_isWatching && nowNs - m_silentSinceNs >= SilenceNs)
        watchLaunches(true);
    if (m_isWatching && nowNs - m_silentSinceNs >= 2 * SilenceNs
        && m_launches.load(std::memory_order_relaxed) > 0) {
        m_hasWarned = true;
        say("CUPTI gives no records although kernels are launched: another profiler in this "
            "process (torch.profiler?) seems to have taken over. Record with one at a time");
    }
}

void CuptiSession::pushExternalId(std::uint64_t id) noexcept
{
    if (const CuptiSession *session = theSession.load(std::memory_order_acquire))
        session->m_library.pushExternalId(cupti::ExternalCustom0, id);
}

std::uint64_t CuptiSession::popExternalId() noexcept
{
    std::uint64_t id = 0;
    const CuptiSession *session = theSession.load(std::memory_order_acquire);
    if (session == nullptr
        || session->m_library.popExternalId(cupti::ExternalCustom0, &id) != cupti::Success)
        return 0;
    return id;
}

void CuptiSession::abandon() noexcept
{
    theSession.store(nullptr, std::memory_order_release);
}

void CuptiSession::onBufferRequested(std::uint8_t **buffer, std::size_t *size, std::size_t *maximum)
{
    const ErrnoGuard errnoGuard;
    CuptiSession *session = theSession.load(std::memory_order_acquire);
    *buffer = session != nullptr ? session->m_pool.give() : nullptr; // CUPTI drops and counts
    *size = *buffer != nullptr ? BufferPool::BufferBytes : 0;
    *maximum = 0; // as many as fit
}

void CuptiSession::onBufferCompleted(void *, std::uint32_t, std::uint8_t *buffer, std::size_t,
                                     std::size_t validSize)
{
    CuptiSession *session = theSession.load(std::memory_order_acquire);
    if (session == nullptr || !session->m_pool.take(buffer, validSize))
        return;
    session->m_hasGivenBack.store(true, std::memory_order_relaxed);
    session->m_wake();
}

void CuptiSession::onCallback(void *, std::uint32_t domain, std::uint32_t id, const void *data)
{
    CuptiSession *session = theSession.load(std::memory_order_acquire);
    if (session == nullptr)
        return;
    if (domain != cupti::Resource) {
        session->m_launches.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const auto *resource = static_cast<const cupti::ResourceData *>(data);
    if (resource != nullptr && resource->descriptor != nullptr)
        session->recordGraph(id, *static_cast<const cupti::GraphData *>(resource->descriptor));
}

/// On the thread that builds or instantiates a graph.
void CuptiSession::recordGraph(std::uint32_t id, const cupti::GraphData &graph) noexcept
{
    if (m_library.graphNodeId == nullptr || m_library.graphId == nullptr)
        return;
    const auto nodeId = [this](void *node) {
        std::uint64_t number = 0;
        return node != nullptr && m_library.graphNodeId(node, &number) == cupti::Success ? number
                                                                                         : 0;
    };
    std::uint32_t graphNumber = 0;
    if (graph.graph != nullptr)
        m_library.graphId(graph.graph, &graphNumber);
    ThreadLog *log = m_logs.mine();
    if (log == nullptr)
        return;
    if (id == cupti::GraphNodeDependencyCreated)
        log->push(RecordGraphEdge,
                  GraphEdgeRecord { nodeId(graph.node), nodeId(graph.dependency), graphNumber, 0 });
    else
        log->push(RecordGraphNode,
                  GraphNodeRecord { nodeId(graph.node),
                                    id == cupti::GraphNodeCloned ? nodeId(graph.originalNode) : 0,
                                    graphNumber, static_cast<std::uint32_t>(graph.nodeType) });
}

} // namespace collectors
