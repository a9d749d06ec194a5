#pragma once

#include "core/import/chrome/chrome_event.h"
#include "core/import/kineto/kineto_categories.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace core {

/// Kinds of a file's processes by their names and labels, for events without a category.
///
/// torch_npu's trace_view.json writes one only for the framework's ops. Its processes are "Python",
/// "CANN" (calls, of the same threads), "Ascend Hardware" (streams), "Communication" or "HCCL"
/// (hcom_... of a group, and rows of its planes, which are parts of these) and "Overlap Analysis",
/// which sums up. Their numbers have the device in the lowest 5 bits.
class KinetoProcesses
{
public:
    /// A process_name or process_labels record. No more than MostNamedProcesses are kept.
    void note(const ChromeEvent &event);
    bool hasNames() const { return !m_roles.empty(); }
    /// "XPU", "NPU" ...: of the label of a process that is a device; empty for GPUs and unknown
    /// ones.
    const std::string &accelerator() const { return m_accelerator; }

    /// What an event without a category is, by its process; `kind` where nothing is known. Gives
    /// the event its host process, device, link and what its collective carries. The views that it
    /// sets live as long as this object.
    KinetoCategory adapt(ChromeEvent &event, const KinetoCategory &kind) const;

    /// Counts a slice where its process is a device.
    void countSlice(const ChromeEvent &event, const KinetoCategory &kind);
    /// Slices of devices whose kind is not known, where they are a share worth speaking of; else 0.
    std::uint64_t unknownDeviceSlices() const;

private:
    enum class Role { Cann, Streams, Communication, Summary };

    std::map<std::string, Role, std::less<>> m_roles; ///< by process, as written
    std::set<std::string, std::less<>> m_devices; ///< processes, as written
    std::string m_recentPid; ///< of the last slice
    bool m_isRecentDevice = false;
    std::string m_host; ///< the process of "Python"
    std::string m_accelerator;
    std::uint64_t m_known = 0, m_unknown = 0;
};

} // namespace core
