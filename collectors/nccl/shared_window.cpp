#include "collectors/nccl/shared_window.h"

#include <dlfcn.h>

#include <cstdlib>

namespace collectors {

void SharedWindow::find() noexcept
{
    if (m_ask.load(std::memory_order_relaxed) != nullptr)
        return;
    for (const char *variable : { "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH" }) {
        const char *path = std::getenv(variable);
        void *library = path != nullptr ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
        if (library == nullptr)
            continue;
        const auto ask = reinterpret_cast<Ask>(dlsym(library, "longpole_window_open"));
        if (ask != nullptr)
            return m_ask.store(ask, std::memory_order_relaxed); // it stays: the library is in use
        dlclose(library);
    }
}

} // namespace collectors
