#include "collectors/nccl/process_recorder.h"

#include "collectors/format/errno_guard.h"
#include "collectors/format/message.h"
#include "collectors/nccl/event_mask.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace collectors {

namespace {

    void storeMask(int *mask, int events) noexcept
    {
        if (mask != nullptr)
            __atomic_store_n(mask, events, __ATOMIC_RELAXED); // NCCL's threads read it
    }

    /// Of the calling thread; 0 without CUDA, which NCCL has loaded before.
    std::uint32_t currentDevice() noexcept
    {
        using GetDevice = int (*)(int *);
        void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (driver == nullptr)
            return 0;
        const auto getDevice = reinterpret_cast<GetDevice>(dlsym(driver, "cuCtxGetDevice"));
        int device = 0;
        if (getDevice == nullptr || getDevice(&device) != 0 || device < 0)
            device = 0;
        dlclose(driver);
        return static_cast<std::uint32_t>(device);
    }

    int wantedEvents()
    {
        const char *text = std::getenv("LONGPOLE_NCCL_EVENTS");
        if (text == nullptr || *text == '\0')
            return defaultEventMask();
        if (const auto mask = eventMask(text))
            return *mask;
        throw std::runtime_error(std::string("LONGPOLE_NCCL_EVENTS=") + text
                                 + " names an unknown event. Known are Coll, P2p, ProxyOp, "
                                   "ProxyStep, KernelCh and Api, separated by commas");
    }

} // namespace

/// There from the library's loading on, without a guard or memory that could be missing.
ProcessRecorder &processRecorder()
{
    static_assert(std::is_trivially_destructible_v<ProcessRecorder>);
    static constinit ProcessRecorder instance;
    return instance;
}

/// Nothing is recorded, from the beginning.
void ProcessRecorder::giveUp(std::string_view why) noexcept
{
    storeMask(m_mask.load(), 0);
    if (!m_isDead.exchange(true))
        say("NCCL is not recorded: ", why);
}

/// What is recorded stays, but nothing comes to it. Said before NCCL is told: a program that sees
/// that may end at once, and this thread with it.
void ProcessRecorder::endRecording(std::string_view why) noexcept
{
    if (EventRecorder *known = recorder())
        known->abandon();
    say("NCCL is not recorded any further: ", why);
    storeMask(m_mask.load(), 0);
    m_isDead = true;
}

/// At the first communicator. Throws std::exception.
EventRecorder &ProcessRecorder::prepare()
{
    if (EventRecorder *known = m_recorder.load(std::memory_order_relaxed))
        return *known;
    pthread_atfork(nullptr, nullptr, [] { // the child has neither the thread nor the right to write
        ProcessRecorder &process = processRecorder();
        process.m_isDead = true;
        if (EventRecorder *inherited = process.recorder())
            inherited->abandon();
    });
    auto recorder = std::make_unique<EventRecorder>(wantedEvents());
    recorder->recording().setOnFailure([this](std::string_view why) { endRecording(why); });
    recorder->setOnMask([this](int mask) {
        if (!m_isDead)
            storeMask(m_mask.load(), mask);
    });
    m_recorder.store(recorder.get(), std::memory_order_release);
    return *recorder.release();
}

void *ProcessRecorder::addCommunicator(int version, int *mask, Contexts::Context context,
                                       const char *name) noexcept
try {
    const ErrnoGuard errnoGuard;
    if (m_isDead) {
        storeMask(mask, 0);
        return nullptr;
    }
    const std::lock_guard lock(m_mutex);
    m_mask = mask; // other communicators may be using it: it is not changed but for a reason
    EventRecorder &recorder = prepare();
    recorder.window().find();
    if (m_communicatorCount == 0 && !recorder.start()) {
        giveUp(recorder.recording().error());
        return nullptr;
    }
    if (!std::exchange(m_hasSaidWhere, true))
        say("NCCL is recorded into ",
            recorder.recording().path() + " (interface v" + std::to_string(version) + ')');
    context.name = recorder.recording().texts().idOfName(name);
    context.device = currentDevice();
    void *handle = recorder.addContext(context);
    m_communicatorCount += handle != nullptr ? 1 : 0; // NCCL finalizes only what has one
    storeMask(mask, m_isDead ? 0 : recorder.mask());
    return handle;
} catch (const std::bad_alloc &) {
    giveUp("no memory");
    return nullptr;
} catch (const std::exception &failure) {
    giveUp(failure.what());
    return nullptr;
}

void ProcessRecorder::finishCommunicator(void *context) noexcept
try {
    const ErrnoGuard errnoGuard;
    EventRecorder *known = recorder();
    if (context == nullptr || m_isDead || known == nullptr)
        return;
    known->finishContext(context);
    const std::lock_guard lock(m_mutex);
    if (m_communicatorCount == 0 || --m_communicatorCount > 0)
        return;
    m_mask = nullptr; // NCCL may be unloaded
    known->pause();
} catch (const std::exception &) { // what was recorded stays
}

void ProcessRecorder::endProcess() noexcept
try {
    EventRecorder *known = recorder();
    if (known == nullptr || m_isDead.exchange(true))
        return;
    // Another thread may be waiting for a slow disk in there, and not for ever.
    constexpr int MostTries = 600;
    std::unique_lock lock(m_mutex, std::defer_lock);
    for (int i = 0; !lock.try_lock(); ++i) {
        if (i == MostTries)
            return;
        usleep(10'000);
    }
    known->end();
} catch (const std::exception &) { // what was recorded stays
}

} // namespace collectors
