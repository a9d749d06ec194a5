#include "collectors/cupti/driver_state.h"

#include <dlfcn.h>

namespace collectors {

namespace {

    std::string describeInitResult(int result)
    {
        switch (result) { // CUresult
        case 0:
            return {};
        case 34:
            return "only the CUDA toolkit's stub of the NVIDIA driver is there";
        case 100:
            return "the NVIDIA driver finds no GPU";
        case 35:
        case 803:
            return "the NVIDIA driver is too old for this CUDA (CUDA 13 needs r580)";
        default:
            return "cuInit failed with error " + std::to_string(result);
        }
    }

} // namespace

std::string describeDriverTrouble(bool initialise)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL | (initialise ? 0 : RTLD_NOLOAD));
    if (driver == nullptr) {
        driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
        return driver == nullptr ? "no NVIDIA driver on this machine" : "";
    }
    if (!initialise)
        return {};
    const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    return init != nullptr ? describeInitResult(init(0)) : "libcuda.so.1 has no cuInit";
}

} // namespace collectors
