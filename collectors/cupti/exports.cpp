#include "collectors/cupti/exports.h"

#include "collectors/cupti/cupti_session.h"
#include "collectors/cupti/driver_state.h"
#include "collectors/cupti/nvtx_injection.h"
#include "collectors/cupti/nvtx_ranges.h"
#include "collectors/cupti/recorder.h"
#include "collectors/format/errno_guard.h"
#include "collectors/format/message.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

using namespace collectors;

namespace {

std::string ownPath()
{
    Dl_info place {};
    if (dladdr(reinterpret_cast<void *>(&InitializeInjection), &place) == 0
        || place.dli_fname == nullptr)
        return {};
    return place.dli_fname;
}

/// Whether LD_PRELOAD names this library.
bool isPreloaded(std::string_view path)
{
    const char *preload = std::getenv("LD_PRELOAD");
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return preload != nullptr && !name.empty()
        && std::string_view(preload).find(name) != std::string_view::npos;
}

/// A preloaded library lets the driver and NVTX find it, and does no more: it is loaded into every
/// shell and compiler that the job starts. The program has only one thread yet.
__attribute__((constructor)) void onLoad()
{
    try {
        const std::string path = ownPath();
        if (!isPreloaded(path))
            return;
        setenv("CUDA_INJECTION64_PATH", path.c_str(), 0);
        setenv("NVTX_INJECTION64_PATH", path.c_str(), 0);
        const char *eager = std::getenv("LONGPOLE_CUPTI_EAGER");
        if (eager == nullptr || std::string_view(eager) != "1")
            return;
        const std::string trouble = describeDriverTrouble(true); // the driver may call us in there
        if (!trouble.empty())
            say("CUDA is not recorded: ", trouble);
        else
            InitializeInjection();
    } catch (...) {
        say("nothing is recorded: no memory");
    }
}

} // namespace

int InitializeInjection()
{
    const ErrnoGuard errnoGuard;
    if (Recorder *recorder = Recorder::open())
        recorder->startCupti();
    return 1;
}

int InitializeInjectionNvtx2(const void *(*getExportTable)(std::uint32_t))
{
    const ErrnoGuard errnoGuard;
    return Recorder::open() != nullptr && attachNvtx(getExportTable) ? 1 : 0;
}

int longpole_cupti_active()
{
    const Recorder *recorder = Recorder::current();
    return recorder != nullptr && recorder->hasCupti() ? 1 : 0;
}

int longpole_window_open()
{
    const Recorder *recorder = Recorder::current();
    if (recorder == nullptr)
        return -1;
    return recorder->isWindowOpen() ? 1 : 0;
}

void longpole_start()
{
    if (Recorder *recorder = Recorder::current())
        recorder->order(true);
}

void longpole_stop()
{
    if (Recorder *recorder = Recorder::current())
        recorder->order(false);
}

void longpole_mark(std::uint64_t number)
{
    const ErrnoGuard errnoGuard;
    markIteration(number);
}

void longpole_push_external(std::uint64_t id)
{
    CuptiSession::pushExternalId(id);
}

std::uint64_t longpole_pop_external()
{
    return CuptiSession::popExternalId();
}
