#include "core/commands/profile/recording_environment.h"

#include <dlfcn.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

namespace core {

namespace fs = std::filesystem;

namespace {

    /// The recorder's own defaults (collectors/pytorch/longpole/settings.py), for BytePS, which
    /// counts by itself.
    constexpr unsigned DefaultWarmup = 5, DefaultIterations = 6;

    constexpr const char *Injection = "CUDA_INJECTION64_PATH",
                         *NvtxInjection = "NVTX_INJECTION64_PATH",
                         *NcclPlugin = "NCCL_PROFILER_PLUGIN",
                         *HorovodTimeline = "HOROVOD_TIMELINE";

    std::optional<unsigned> numberOf(const Environment &own, const std::string &name)
    {
        const auto found = own.find(name);
        if (found == own.end())
            return std::nullopt;
        const std::string &text = found->second;
        unsigned number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool isWhole = error == std::errc() && end == text.data() + text.size();
        return isWhole ? std::optional(number) : std::nullopt;
    }

    void putFirst(Environment &environment, const std::string &name, const std::string &folders)
    {
        std::string &value = environment[name];
        value = value.empty() ? folders : folders + ':' + value;
    }

    /// BytePS writes <folder>/<local rank>/comm.json; the importer reads the host's number from the
    /// folder above.
    void addBytePs(Environment &environment, const RecordingOptions &options)
    {
        const unsigned warmup = options.warmup.value_or(
            numberOf(environment, "LONGPOLE_WARMUP").value_or(DefaultWarmup));
        const unsigned iterations = options.iterations.value_or(
            numberOf(environment, "LONGPOLE_ITERATIONS").value_or(DefaultIterations));
        const unsigned worker = numberOf(environment, "DMLC_WORKER_ID").value_or(0);
        environment["BYTEPS_TRACE_ON"] = "1";
        environment["BYTEPS_TRACE_START_STEP"] = std::to_string(warmup + 1);
        environment["BYTEPS_TRACE_END_STEP"] = std::to_string(warmup + iterations);
        environment["BYTEPS_TRACE_DIR"]
            = (options.folder / "byteps" / ("worker" + std::to_string(worker))).string();
    }

    std::string libraryLine(const std::string &what, const std::optional<fs::path> &library,
                            const char *name, const Environment &own, const char *variable)
    {
        if (const auto other = own.find(variable); other != own.end())
            return what + "left to " + other->second + ", which " + variable + " names";
        if (!library)
            return what + "no, " + name + " is not beside this program";
        return what + "by " + library->string();
    }

    std::string kernelLine(const Environment &own, const CollectorFiles &collectors, bool hasDriver)
    {
        const std::string what = "GPU kernels: ";
        if (!hasDriver)
            return what + "no, there is no NVIDIA driver on this machine";
        if (!collectors.cupti && !own.contains(Injection))
            return what + "by torch.profiler only";
        return libraryLine(what, collectors.cupti, "liblongpole_cupti.so", own, Injection);
    }

    std::string ncclLine(const Environment &own, const CollectorFiles &collectors, bool hasDriver)
    {
        const std::string what = "messages of NCCL: ";
        if (!hasDriver)
            return what + "no, there is no NVIDIA driver on this machine";
        return libraryLine(what, collectors.nccl, "libnccl-profiler-longpole.so", own, NcclPlugin);
    }

} // namespace

Environment ownEnvironment()
{
    Environment own;
    for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos && equals > 0)
            own.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return own;
}

std::optional<int> rankOfLauncher(const Environment &own)
{
    for (const char *name : { "RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                              "SLURM_PROCID", "HOROVOD_RANK" })
        if (const auto rank = numberOf(own, name))
            return static_cast<int>(*rank);
    return std::nullopt;
}

bool isBytePs(const Environment &own)
{
    return own.contains("DMLC_ROLE");
}

Environment recordingEnvironment(const Environment &own, const CollectorFiles &collectors,
                                 const RecordingOptions &options)
{
    Environment environment = own;
    environment.erase("TEARDOWN_CUPTI"); // it would end the kernels' recording with the profiler's
    environment["LONGPOLE_OUT"] = options.folder.string();
    if (options.iterations)
        environment["LONGPOLE_ITERATIONS"] = std::to_string(*options.iterations);
    if (options.warmup)
        environment["LONGPOLE_WARMUP"] = std::to_string(*options.warmup);
    if (options.withMemory)
        environment["LONGPOLE_MEMORY"] = "1";
    if (options.withExecutionTrace)
        environment["LONGPOLE_EXECUTION_TRACE"] = "1";
    if (collectors.python) {
        environment["LONGPOLE_AUTO"] = "1";
        putFirst(environment, "PYTHONPATH",
                 (*collectors.python / "hook").string() + ':' + collectors.python->string());
    }
    if (collectors.cupti) {
        environment.try_emplace(Injection, collectors.cupti->string());
        environment.try_emplace(NvtxInjection, collectors.cupti->string());
    }
    if (collectors.nccl)
        environment.try_emplace(NcclPlugin, collectors.nccl->string());
    environment.try_emplace(HorovodTimeline, (options.folder / "horovod.json").string());
    if (isBytePs(own))
        addBytePs(environment, options);
    return environment;
}

std::vector<std::string> recordingAbilities(const Environment &own,
                                            const CollectorFiles &collectors, bool hasDriver)
{
    std::vector<std::string> lines;
    lines.push_back(collectors.python
                        ? "PyTorch: iterations, ops, gradient buckets; steps of the optimizer are "
                          "counted, unless the program calls longpole.record()"
                        : "PyTorch: no, the recorder (pytorch/longpole) is not beside this "
                          "program; name its folder in LONGPOLE_COLLECTORS");
    lines.push_back(kernelLine(own, collectors, hasDriver));
    lines.push_back(ncclLine(own, collectors, hasDriver));
    lines.push_back("Horovod: the timeline of rank 0, where the program uses Horovod");
    lines.push_back(isBytePs(own) ? "BytePS: the timeline of each GPU of this host"
                                  : "BytePS: no, DMLC_ROLE is not set");
    return lines;
}

bool hasNvidiaDriver()
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver != nullptr)
        dlclose(driver);
    return driver != nullptr;
}

} // namespace core
