#include "collectors/cupti/cupti_library.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstring>
#include <vector>

namespace collectors {

namespace {

    constexpr std::array Sonames = { "libcupti.so.13", "libcupti.so.12" };

    /// Folders beside a loaded CUDA runtime where Python's packages have their libcupti.
    std::vector<std::string> besideRuntime()
    {
        std::vector<std::string> found;
        const auto look = [](dl_phdr_info *info, std::size_t, void *result) {
            const std::string path = info->dlpi_name != nullptr ? info->dlpi_name : "";
            const std::size_t slash = path.rfind('/');
            if (slash == std::string::npos
                || path.compare(slash + 1, std::strlen("libcudart.so"), "libcudart.so") != 0)
                return 0;
            const std::string folder = path.substr(0, slash);
            auto &paths = *static_cast<std::vector<std::string> *>(result);
            for (const char *soname : Sonames) {
                paths.push_back(folder + '/' + soname);
                paths.push_back(folder + "/../../cuda_cupti/lib/" + soname);
            }
            return 0;
        };
        dl_iterate_phdr(look, &found);
        return found;
    }

    void *openCupti(const std::string &wanted, std::string &error)
    {
        if (!wanted.empty()) {
            void *handle = dlopen(wanted.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (handle == nullptr)
                error = std::string("LONGPOLE_LIBCUPTI cannot be loaded: ") + dlerror();
            return handle;
        }
        for (const char *soname : Sonames) {
            if (void *handle = dlopen(soname, RTLD_NOW | RTLD_NOLOAD))
                return handle;
        }
        std::vector<std::string> places = besideRuntime();
        places.insert(places.end(), Sonames.begin(), Sonames.end());
        for (const char *folder :
             { "/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/" }) {
            for (const char *soname : Sonames)
                places.push_back(std::string(folder) + soname);
        }
        for (const std::string &place : places) {
            if (void *handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL))
                return handle;
        }
        error = "libcupti.so.13 and libcupti.so.12 were not found: install CUPTI, or set "
                "LONGPOLE_LIBCUPTI to its path";
        return nullptr;
    }

    /// Finds entry points, and notes the first that is missing.
    class Resolver
    {
    public:
        explicit Resolver(void *handle)
            : m_handle(handle)
        {
        }
        template <class Function>
        void need(const char *name, Function &function)
        {
            mayHave(name, function);
            if (function == nullptr && m_missing == nullptr)
                m_missing = name;
        }
        template <class Function>
        void mayHave(const char *name, Function &function)
        {
            function = reinterpret_cast<Function>(dlsym(m_handle, name));
        }
        const char *missing() const { return m_missing; }

    private:
        void *m_handle;
        const char *m_missing = nullptr;
    };

    const char *resolve(void *handle, CuptiLibrary &library)
    {
        Resolver resolver(handle);
        resolver.need("cuptiGetVersion", library.getVersion);
        resolver.need("cuptiGetTimestamp", library.getTimestamp);
        resolver.need("cuptiGetResultString", library.getResultString);
        resolver.need("cuptiSubscribe", library.subscribe);
        resolver.mayHave("cuptiSubscribe_v2", library.subscribe2);
        resolver.mayHave("cuptiUnsubscribe", library.unsubscribe);
        resolver.need("cuptiEnableCallback", library.enableCallback);
        resolver.need("cuptiGetCallbackName", library.getCallbackName);
        resolver.need("cuptiActivityRegisterCallbacks", library.registerCallbacks);
        resolver.need("cuptiActivityEnable", library.enable);
        resolver.need("cuptiActivityDisable", library.disable);
        resolver.need("cuptiActivityFlushAll", library.flushAll);
        resolver.need("cuptiActivityGetNextRecord", library.nextRecord);
        resolver.need("cuptiActivityGetNumDroppedRecords", library.droppedRecords);
        resolver.need("cuptiActivityPushExternalCorrelationId", library.pushExternalId);
        resolver.need("cuptiActivityPopExternalCorrelationId", library.popExternalId);
        resolver.mayHave("cuptiGetGraphNodeId", library.graphNodeId);
        resolver.mayHave("cuptiGetGraphId", library.graphId);
        resolver.mayHave("cuptiSetThreadIdType", library.setThreadIdType);
        resolver.mayHave("cuptiActivityEnableRuntimeApi", library.enableRuntimeApi);
        resolver.mayHave("cuptiActivityEnableDriverApi", library.enableDriverApi);
        resolver.mayHave("cuptiActivityEnableAllSyncRecords", library.enableAllSyncRecords);
        return resolver.missing();
    }

    /// Small numbers before CUDA 13.0 (19 is 12.0, 28 is 12.9), then xxyyzz.
    bool isKnownVersion(std::uint32_t version)
    {
        return (version >= 19 && version < 100) || (version >= 130000 && version < 140000);
    }

} // namespace

std::string CuptiLibrary::describe(cupti::Result result) const
{
    const char *text = nullptr;
    if (getResultString == nullptr || getResultString(result, &text) != cupti::Success)
        text = nullptr;
    return (text != nullptr ? std::string(text) + " (" : "error (") + std::to_string(result) + ')';
}

bool loadCupti(const std::string &wanted, CuptiLibrary &library, std::string &error)
{
    void *handle = openCupti(wanted, error);
    if (handle == nullptr)
        return false;
    if (const char *missing = resolve(handle, library)) {
        error = std::string("this libcupti has no ") + missing + ": CUDA 12.0 to 13.x is needed";
        return false;
    }
    Dl_info place {};
    if (dladdr(reinterpret_cast<void *>(library.getVersion), &place) != 0
        && place.dli_fname != nullptr)
        library.path = place.dli_fname;
    if (library.getVersion(&library.version) != cupti::Success
        || !isKnownVersion(library.version)) {
        error = library.path + " has version " + std::to_string(library.version)
            + ", whose records this collector does not know: CUDA 12.0 to 13.x is needed";
        return false;
    }
    return true;
}

} // namespace collectors
