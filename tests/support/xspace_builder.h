#pragma once

#include "tests/support/protobuf_writer.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tests {

/// A statistic of an event: a number or a text.
struct XStatValue
{
    XStatValue(const char *statName, std::int64_t value)
        : name(statName)
        , number(value)
    {
    }
    XStatValue(const char *statName, const char *value)
        : name(statName)
        , text(value)
        , isText(true)
    {
    }

    std::string name;
    std::int64_t number = 0;
    std::string text;
    bool isText = false;
};

/// Writes one plane of an XSpace as the profiler does: lines first, then the names that their
/// events use, then the plane's own statistics.
class XPlaneBuilder
{
public:
    explicit XPlaneBuilder(std::string name)
        : m_name(std::move(name))
    {
    }

    XPlaneBuilder &line(std::uint64_t id, const std::string &name, std::uint64_t timestampNs)
    {
        m_lines.emplace_back();
        m_lines.back().number(1, id).bytes(2, name).number(3, timestampNs);
        return *this;
    }
    /// An event of the last line.
    XPlaneBuilder &event(const std::string &name, std::uint64_t offsetPs, std::uint64_t durationPs,
                         const std::vector<XStatValue> &stats = {})
    {
        ProtobufWriter event;
        event.number(1, idOf(m_events, name)).number(2, offsetPs).number(3, durationPs);
        for (const XStatValue &stat : stats)
            event.message(4, statMessage(stat));
        m_lines.back().message(4, event);
        return *this;
    }
    /// Anything as an event of the last line.
    XPlaneBuilder &rawEvent(const std::string &bytes)
    {
        m_lines.back().bytes(4, bytes);
        return *this;
    }
    XPlaneBuilder &displayName(const std::string &event, const std::string &name)
    {
        m_displayNames[event] = name;
        return *this;
    }
    XPlaneBuilder &stat(const XStatValue &stat)
    {
        m_stats.push_back(statMessage(stat));
        return *this;
    }

    ProtobufWriter plane() const
    {
        ProtobufWriter plane;
        plane.bytes(2, m_name);
        for (const ProtobufWriter &line : m_lines)
            plane.message(3, line);
        for (const auto &[name, id] : m_events) {
            ProtobufWriter metadata;
            metadata.number(1, id).bytes(2, name);
            const auto shown = m_displayNames.find(name);
            if (shown != m_displayNames.end())
                metadata.bytes(4, shown->second);
            plane.message(4, ProtobufWriter().number(1, id).message(2, metadata));
        }
        for (const auto &[name, id] : m_statNames)
            plane.message(5,
                          ProtobufWriter().number(1, id).message(
                              2, ProtobufWriter().number(1, id).bytes(2, name)));
        for (const ProtobufWriter &stat : m_stats)
            plane.message(6, stat);
        return plane;
    }

private:
    using Ids = std::map<std::string, std::uint64_t>;

    static std::uint64_t idOf(Ids &ids, const std::string &name)
    {
        return ids.try_emplace(name, ids.size() + 1).first->second;
    }
    /// Texts are references to the names of statistics, as the profiler shares them.
    ProtobufWriter statMessage(const XStatValue &stat)
    {
        ProtobufWriter message;
        message.number(1, idOf(m_statNames, stat.name));
        return stat.isText ? message.number(7, idOf(m_statNames, stat.text))
                           : message.number(4, static_cast<std::uint64_t>(stat.number));
    }

    std::string m_name;
    std::vector<ProtobufWriter> m_lines;
    Ids m_events, m_statNames;
    std::map<std::string, std::string> m_displayNames;
    std::vector<ProtobufWriter> m_stats;
};

/// The whole space; its host is "host-a".
inline std::string xspace(const std::vector<XPlaneBuilder> &planes)
{
    ProtobufWriter space;
    for (const XPlaneBuilder &plane : planes)
        space.message(1, plane.plane());
    return space.bytes(4, "host-a").str();
}

} // namespace tests
