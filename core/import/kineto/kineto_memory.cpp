#include "core/import/kineto/kineto_memory.h"

#include "core/import/checked_index.h"
#include "core/import/text/json_members.h"

namespace core {

namespace {

    constexpr std::int64_t HostDeviceType = 0; // c10::DeviceType::CPU

    /// What an instant says; 0 is "unknown" for the address and the totals.
    struct Arguments
    {
        std::optional<std::int64_t> bytes, deviceType, deviceId;
        std::uint64_t address = 0, allocated = 0, reserved = 0;
    };

    Arguments argumentsOf(std::string_view argsText)
    {
        Arguments found;
        json::forEachMember(argsText, [&found](std::string_view key, std::string_view value) {
            if (key == "Bytes")
                found.bytes = integerFrom(json::unquoted(value));
            else if (key == "Device Type")
                found.deviceType = integerFrom(json::unquoted(value));
            else if (key == "Device Id")
                found.deviceId = integerFrom(json::unquoted(value));
            else if (key == "Addr")
                found.address = json::naturalIn(value).value_or(0);
            else if (key == "Total Allocated")
                found.allocated = json::naturalIn(value).value_or(0);
            else if (key == "Total Reserved")
                found.reserved = json::naturalIn(value).value_or(0);
        });
        return found;
    }

} // namespace

std::optional<MemoryEvent> kinetoMemoryEvent(const ChromeEvent &event, std::int64_t timeNs)
{
    const Arguments found = argumentsOf(event.argsText);
    if (!found.bytes || !found.deviceType)
        return std::nullopt;
    MemoryEvent memory;
    if (*found.deviceType != HostDeviceType) {
        memory.device = checkedIndex(found.deviceId);
        if (!memory.device)
            return std::nullopt;
    }
    memory.timeNs = timeNs;
    memory.address = found.address;
    memory.deltaBytes = *found.bytes;
    memory.allocatedBytes = found.allocated;
    memory.reservedBytes = found.reserved;
    return memory;
}

} // namespace core
