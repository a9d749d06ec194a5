#include "core/import/kineto/kineto_processes.h"

#include "core/base/ascii_text.h"
#include "core/import/kineto/kineto_collectives.h"
#include "core/import/text/decimal_time.h"
#include "core/import/text/json_members.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::size_t MostNamedProcesses = 1024;
    constexpr std::uint64_t UnknownShare = 10; ///< one of so many slices of devices

    constexpr std::array<std::string_view, 4> OtherAccelerators = { "XPU", "NPU", "HPU", "MTIA" };

    /// "XPU" of "XPU 0"; "GPU" too; empty for other labels.
    std::string_view deviceWord(std::string_view label)
    {
        const std::string_view word = label.substr(0, label.find(' '));
        const bool isOther = std::find(OtherAccelerators.begin(), OtherAccelerators.end(), word)
            != OtherAccelerators.end();
        return isOther || word == "GPU" ? word : std::string_view();
    }

    std::string_view argument(const ChromeEvent &event, std::string_view name)
    {
        std::string_view text;
        json::forEachMember(event.argsText, [&](std::string_view key, std::string_view value) {
            if (key == name)
                text = json::unquoted(value);
        });
        return text;
    }

    /// Ties a call of CANN to its task; 0 is one, too.
    void setLink(ChromeEvent &event, std::string_view name)
    {
        if (const auto id = unsignedFrom(argument(event, name)))
            event.args.correlation = *id + 1;
    }

    void setDevice(ChromeEvent &event)
    {
        constexpr std::uint64_t DeviceBits = 31;
        if (const auto number = unsignedFrom(event.pid); number && !event.args.device)
            event.args.device = static_cast<std::int64_t>(*number & DeviceBits);
    }

    KinetoCategory kindOfTask(const ChromeEvent &event)
    {
        const std::string task = lowered(argument(event, "Task Type"));
        const auto has
            = [&task](std::string_view word) { return task.find(word) != std::string::npos; };
        if (has("event") || has("notify") || has("place_holder") || has("write_value"))
            return { {}, Category::GpuAnnotation, TrackKind::Annotation };
        if (has("memcpy") || has("sdma"))
            return { {}, Category::Memcpy, TrackKind::Stream };
        return { {}, Category::Kernel, TrackKind::Stream };
    }

    KinetoCategory kindOfCommunication(ChromeEvent &event)
    {
        if (!communicationKernel(event.name))
            return { {}, Category::GpuAnnotation, TrackKind::Annotation }; // a part of one
        event.args.processGroup = argument(event, "group_name");
        event.args.dtype = argument(event, "data_type");
        if (const auto count = unsignedFrom(argument(event, "count"));
            count && *count < (std::uint64_t { 1 } << 62U))
            event.args.inElements = static_cast<std::int64_t>(*count);
        return { {}, Category::CommKernel, TrackKind::Stream };
    }

} // namespace

void KinetoProcesses::note(const ChromeEvent &event)
{
    const std::string_view name = event.args.name;
    std::string_view label;
    if (event.name == "process_labels")
        label = argument(event, "labels");
    if (const std::string_view word = deviceWord(label); !word.empty()) {
        if (m_devices.size() < MostNamedProcesses)
            m_devices.emplace(event.pid);
        m_recentPid.clear();
        if (word != "GPU")
            m_accelerator = word;
    }
    if (event.name != "process_name" || m_roles.size() >= MostNamedProcesses)
        return;
    if (name == "Python")
        m_host = event.pid;
    else if (name == "CANN")
        m_roles.emplace(event.pid, Role::Cann);
    else if (name == "Ascend Hardware")
        m_roles.emplace(event.pid, Role::Streams);
    else if (name == "Communication" || name == "HCCL")
        m_roles.emplace(event.pid, Role::Communication);
    else if (name == "Overlap Analysis")
        m_roles.emplace(event.pid, Role::Summary);
}

KinetoCategory KinetoProcesses::adapt(ChromeEvent &event, const KinetoCategory &kind) const
{
    const auto role = event.hasCategory ? m_roles.end() : m_roles.find(event.pid);
    if (role == m_roles.end())
        return kind;
    switch (role->second) {
    case Role::Cann:
        setLink(event, "Connection ID");
        if (event.args.correlation == 0)
            setLink(event, "connection_id");
        if (!m_host.empty())
            event.pid = m_host;
        return { {}, Category::Runtime, TrackKind::HostThread };
    case Role::Streams:
        setLink(event, "connection_id");
        setDevice(event);
        return kindOfTask(event);
    case Role::Communication:
        setLink(event, "connection_id");
        setDevice(event);
        return kindOfCommunication(event);
    case Role::Summary:
        break;
    }
    setDevice(event);
    return { {}, Category::GpuAnnotation, TrackKind::Annotation };
}

void KinetoProcesses::countSlice(const ChromeEvent &event, const KinetoCategory &kind)
{
    if (m_devices.empty())
        return;
    if (m_recentPid != event.pid) { // events of one process follow each other
        m_recentPid = event.pid;
        m_isRecentDevice = m_devices.contains(event.pid);
    }
    if (m_isRecentDevice)
        ++(kind.track == TrackKind::Other ? m_unknown : m_known);
}

std::uint64_t KinetoProcesses::unknownDeviceSlices() const
{
    return m_unknown * UnknownShare > m_known + m_unknown ? m_unknown : 0;
}

} // namespace core
