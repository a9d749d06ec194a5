#include "tests/collectors/cupti/stand_in_cupti.h"

#include "collectors/cupti/cupti_abi.h"

#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Entry points as NVIDIA's libcupti has them, records as CUDA 13.0 lays them out; buffers go to and
// fro as there: each thread fills its own, full ones are handed back by that thread, others by
// whoever flushes.
using namespace collectors::cupti;

namespace {

struct Buffer
{
    std::mutex mutex; ///< the owner fills while another thread flushes
    std::uint8_t *data = nullptr;
    std::size_t size = 0, used = 0;
};

struct State
{
    std::atomic<BufferRequested> requested { nullptr };
    std::atomic<BufferCompleted> completed { nullptr };
    std::atomic<Callback> callback { nullptr };
    std::atomic<std::uint64_t> kinds { 0 };
    std::atomic<std::uint64_t> emitted { 0 }, dropped { 0 }, droppedUntold { 0 };
    std::mutex mutex; ///< of the following
    std::vector<std::shared_ptr<Buffer>> buffers;
    std::set<std::pair<std::uint32_t, std::uint32_t>> callbacks;
};

State &state()
{
    static auto *const all = new State; // calls come until the process has ended
    return *all;
}

long numberFrom(const char *name, long otherwise)
{
    const char *text = std::getenv(name);
    return text != nullptr ? std::atol(text) : otherwise;
}

std::shared_ptr<Buffer> myBuffer()
{
    thread_local std::shared_ptr<Buffer> mine;
    if (mine == nullptr) {
        mine = std::make_shared<Buffer>();
        const std::lock_guard lock(state().mutex);
        state().buffers.push_back(mine);
    }
    return mine;
}

void giveBack(Buffer &buffer)
{
    if (buffer.data == nullptr || buffer.used == 0)
        return;
    state().completed.load()(nullptr, 0, buffer.data, buffer.size, buffer.used);
    buffer.data = nullptr;
    buffer.used = 0;
}

std::size_t sizeOf(std::uint32_t kind)
{
    static const auto &sizes = *new std::map<std::uint32_t, std::size_t> {
        { ActivityMemcpy, 96 },          { ActivityMemset, 88 },
        { ActivityDriver, 40 },          { ActivityRuntime, 40 },
        { ActivityContext, 32 },         { ActivityKernel, 216 },
        { ActivityMemcpyPeer, 96 },      { ActivityCudaEvent, 56 },
        { ActivitySynchronization, 56 }, { ActivityExternalCorrelation, 24 },
        { ActivityGraphTrace, 56 }
    };
    const auto found = sizes.find(kind);
    return found != sizes.end() ? found->second : 0;
}

thread_local std::vector<std::uint64_t> externalIds;

} // namespace

extern "C" {

int standInEmit(const void *record, std::size_t size)
{
    std::uint32_t kind = 0;
    std::memcpy(&kind, record, sizeof(kind));
    if (standInIsEnabled(kind) == 0)
        return 0;
    State &all = state();
    ++all.emitted;
    const std::size_t whole = sizeOf(kind);
    const std::shared_ptr<Buffer> buffer = myBuffer();
    const std::lock_guard lock(buffer->mutex);
    if (buffer->data != nullptr && buffer->size - buffer->used < whole)
        giveBack(*buffer);
    if (buffer->data == nullptr) {
        std::size_t most = 0;
        all.requested.load()(&buffer->data, &buffer->size, &most);
    }
    if (buffer->data == nullptr || buffer->size < whole) {
        buffer->data = nullptr;
        ++all.dropped;
        ++all.droppedUntold;
        return 1;
    }
    std::memset(buffer->data + buffer->used, 0, whole);
    std::memcpy(buffer->data + buffer->used, record, size < whole ? size : whole);
    buffer->used += whole;
    return 1;
}

int standInIsEnabled(std::uint32_t kind)
{
    return static_cast<int>(state().kinds.load() >> kind & 1U);
}

std::uint64_t standInEmitted()
{
    return state().emitted;
}

std::uint64_t standInDropped()
{
    return state().dropped;
}

std::uint64_t standInExternalId()
{
    return externalIds.empty() ? 0 : externalIds.back();
}

void standInCallback(std::uint32_t domain, std::uint32_t id, const void *data)
{
    bool isEnabled = false;
    {
        const std::lock_guard lock(state().mutex);
        isEnabled = state().callbacks.count({ domain, id }) != 0;
    }
    if (isEnabled)
        state().callback.load()(nullptr, domain, id, data);
}

Result cuptiGetVersion(std::uint32_t *version)
{
    *version = static_cast<std::uint32_t>(numberFrom("STAND_IN_VERSION", 130001));
    return Success;
}

Result cuptiGetTimestamp(std::uint64_t *time)
{
    timespec now {};
    clock_gettime(CLOCK_REALTIME, &now);
    *time = static_cast<std::uint64_t>(static_cast<long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec
                                       + numberFrom("STAND_IN_AHEAD_NS", 0));
    return Success;
}

Result cuptiGetResultString(Result result, const char **text)
{
    *text = result == 21 ? "CUPTI_ERROR_INVALID_KIND" : "CUPTI_ERROR_UNKNOWN";
    return Success;
}

Result cuptiSubscribe(Subscriber *subscriber, Callback callback, void *)
{
    if (std::getenv("STAND_IN_BUSY") != nullptr || state().callback.load() != nullptr)
        return MultipleSubscribers;
    state().callback = callback;
    *subscriber = &state();
    return Success;
}

Result cuptiUnsubscribe(Subscriber)
{
    state().callback = nullptr;
    return Success;
}

Result cuptiSubscribe_v2(Subscriber *subscriber, Callback callback, void *user,
                         SubscriberParams *params)
{
    const Result result = cuptiSubscribe(subscriber, callback, user);
    if (const char *owner = std::getenv("STAND_IN_BUSY"))
        std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", owner);
    return result;
}

Result cuptiEnableCallback(std::uint32_t enable, Subscriber, std::uint32_t domain, std::uint32_t id)
{
    const std::lock_guard lock(state().mutex);
    if (enable != 0)
        state().callbacks.insert({ domain, id });
    else
        state().callbacks.erase({ domain, id });
    return Success;
}

Result cuptiGetCallbackName(std::uint32_t domain, std::uint32_t id, const char **name)
{
    if (domain == RuntimeApi && id == CudaLaunchKernel)
        *name = "cudaLaunchKernel_v7000";
    else if (domain == DriverApi && id == CuLaunchKernel)
        *name = "cuLaunchKernel";
    else
        return 1;
    return Success;
}

Result cuptiActivityRegisterCallbacks(BufferRequested requested, BufferCompleted completed)
{
    if (std::getenv("STAND_IN_NO_BUFFERS") != nullptr)
        return 1;
    state().requested = requested;
    state().completed = completed;
    return Success;
}

Result cuptiActivityEnable(std::uint32_t kind)
{
    if (static_cast<long>(kind) == numberFrom("STAND_IN_REFUSE", -1))
        return 21;
    state().kinds |= std::uint64_t { 1 } << kind;
    return Success;
}

Result cuptiActivityDisable(std::uint32_t kind)
{
    state().kinds &= ~(std::uint64_t { 1 } << kind);
    return Success;
}

Result cuptiActivityFlushAll(std::uint32_t)
{
    std::vector<std::shared_ptr<Buffer>> buffers;
    {
        const std::lock_guard lock(state().mutex);
        buffers = state().buffers;
    }
    for (const std::shared_ptr<Buffer> &buffer : buffers) {
        const std::lock_guard lock(buffer->mutex);
        giveBack(*buffer);
    }
    return Success;
}

Result cuptiActivityGetNextRecord(std::uint8_t *buffer, std::size_t validBytes,
                                  std::uint8_t **record)
{
    constexpr Result MaxLimitReached = 12;
    std::uint8_t *next = buffer;
    if (*record != nullptr) {
        std::uint32_t kind = 0;
        std::memcpy(&kind, *record, sizeof(kind));
        next = *record + sizeOf(kind);
    }
    if (next >= buffer + validBytes)
        return MaxLimitReached;
    *record = next;
    return Success;
}

Result cuptiActivityGetNumDroppedRecords(void *, std::uint32_t, std::size_t *count)
{
    *count = state().droppedUntold.exchange(0);
    return Success;
}

Result cuptiActivityPushExternalCorrelationId(std::uint32_t, std::uint64_t id)
{
    externalIds.push_back(id);
    return Success;
}

Result cuptiActivityPopExternalCorrelationId(std::uint32_t, std::uint64_t *id)
{
    if (externalIds.empty())
        return 1;
    *id = externalIds.back();
    externalIds.pop_back();
    return Success;
}

Result cuptiGetGraphNodeId(void *node, std::uint64_t *id)
{
    *id = reinterpret_cast<std::uintptr_t>(node); // a program's nodes are numbers here
    return Success;
}

Result cuptiGetGraphId(void *graph, std::uint32_t *id)
{
    *id = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(graph));
    return Success;
}

Result cuptiSetThreadIdType(std::uint32_t type)
{
    return type == ThreadIdSystem ? Success : 1;
}
}
