#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace tests {

/// A descriptor of a profiler event as bytes at offsets: what NCCL hands over, declared a second
/// time and without a struct, so that a wrong offset in the plug-in does not go unseen.
class DescriptorBytes
{
public:
    template <class Value>
    DescriptorBytes &put(std::size_t offset, const Value &value)
    {
        std::memcpy(m_bytes.data() + offset, &value, sizeof(value));
        return *this;
    }
    void *data() { return m_bytes.data(); }

private:
    alignas(8) std::array<unsigned char, 136> m_bytes {};
};

struct CollectiveCall
{
    std::uint64_t sequence = 0, count = 0;
    std::uint8_t channels = 0;
};

struct SendCall
{
    bool isSend = false;
    int peer = 0;
    std::uint64_t count = 0;
    std::uint8_t channels = 0;
};

struct ProxyOpCall
{
    std::uint8_t channel = 0;
    int peer = 0, steps = 0;
    bool isSend = false;
    int processId = 0; ///< 0: the own
};

/// The plug-in as NCCL loads and calls it, through one version of the interface.
class LoadedPlugin
{
public:
    /// Throws std::runtime_error.
    LoadedPlugin(const std::string &path, int version);
    ~LoadedPlugin();
    LoadedPlugin(const LoadedPlugin &) = delete;
    LoadedPlugin &operator=(const LoadedPlugin &) = delete;

    int version() const { return m_version; }
    bool hasKernelChannels() const { return m_version >= 3; }
    bool hasApiEvents() const { return m_version >= 5; }
    /// That are sent where the mask has them.
    bool hasKernelPhases() const { return m_version >= 7; }
    int mask() const { return __atomic_load_n(&m_mask, __ATOMIC_RELAXED); }

    void *init(std::uint64_t communicator, const char *name, int rankCount, int rank);
    void finalize(void *context) const;
    void stop(void *handle) const;
    /// Arguments as this version has them.
    void state(void *handle, int state, std::uint64_t value) const;
    void stateWithoutArguments(void *handle, int state) const;

    void *startGroup(void *context) const;
    void *startApi(void *context, std::uint64_t type, const char *function) const;
    void *startAllReduce(void *context, void *parent, int rank, std::uint64_t communicator,
                         const CollectiveCall &call) const;
    void *startSend(void *context, void *parent, int rank, std::uint64_t communicator,
                    const SendCall &call) const;
    void *startProxyOp(void *context, void *parent, int rank, const ProxyOpCall &call) const;
    void *startProxyStep(void *context, void *parent, int rank, int step) const;
    void *startKernelChannel(void *context, void *parent, int rank, std::uint8_t channel,
                             std::uint64_t gpuTimeNs) const;
    void *startKernelPhase(void *context, void *parent, int rank, std::uint8_t channel,
                           std::uint8_t phase, std::uint64_t gpuTimeNs) const;
    void *start(void *context, DescriptorBytes descriptor) const;

private:
    DescriptorBytes head(std::uint64_t type, void *parent, int rank) const;

    int m_version;
    int m_mask = 0;
    void *m_library = nullptr;
    unsigned char *m_plugin = nullptr; ///< 48 bytes: name and five functions
};

} // namespace tests
