#include "collectors/nccl/process_recorder.h"

#include "collectors/nccl/event_mask.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace collectors {

namespace {

    /// In one call, since processes share stderr.
    void say(const std::string &text) noexcept
    {
        if (std::getenv("LONGPOLE_QUIET") == nullptr)
            std::fprintf(stderr, "longpole: %s\n", text.c_str());
    }

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

ProcessRecorder &processRecorder()
{
    static ProcessRecorder *const instance = new ProcessRecorder;
    return *instance;
}

void ProcessRecorder::giveUp(const char *what, const std::string &why) noexcept
{
    storeMask(m_mask.load(), 0);
    if (!m_isDead.exchange(true))
        say(what + why);
}

/// At the first communicator. Throws std::exception.
EventRecorder &ProcessRecorder::prepare()
{
    if (EventRecorder *known = m_recorder.load(std::memory_order_relaxed))
        return *known;
    m_wantedMask = wantedEvents();
    auto recorder = std::make_unique<EventRecorder>(m_wantedMask);
    recorder->setOnFailure([this, made = recorder.get()] {
        giveUp("NCCL is not recorded any further: ", made->recording().fileError());
    });
    pthread_atfork(nullptr, nullptr, [] { // the child has neither the thread nor the right to write
        ProcessRecorder &process = processRecorder();
        process.m_isDead = true;
        if (EventRecorder *inherited = process.recorder())
            inherited->abandon();
    });
    m_recorder.store(recorder.get(), std::memory_order_release);
    return *recorder.release();
}

void *ProcessRecorder::addCommunicator(int version, int *mask, Contexts::Context context,
                                       const char *name) noexcept
try {
    storeMask(mask, 0);
    if (m_isDead)
        return nullptr;
    const std::lock_guard lock(m_mutex);
    m_mask = mask;
    EventRecorder &recorder = prepare();
    if (m_communicatorCount == 0 && !recorder.start()) {
        giveUp("NCCL is not recorded: ", recorder.recording().error());
        return nullptr;
    }
    if (!std::exchange(m_hasSaidWhere, true))
        say("NCCL is recorded into " + recorder.recording().path() + " (interface v"
            + std::to_string(version) + ')');
    context.name = recorder.recording().texts().idOf(name);
    context.device = currentDevice();
    void *handle = recorder.addContext(context);
    ++m_communicatorCount;
    storeMask(mask, m_wantedMask);
    return handle;
} catch (const std::exception &failure) {
    giveUp("NCCL is not recorded: ", failure.what());
    return nullptr;
}

void ProcessRecorder::finishCommunicator(void *context) noexcept
try {
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
    const std::lock_guard lock(m_mutex);
    known->end();
} catch (const std::exception &) { // what was recorded stays
}

} // namespace collectors
