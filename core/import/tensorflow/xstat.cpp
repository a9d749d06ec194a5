#include "core/import/tensorflow/xstat.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace core {

namespace {

    std::string_view nameOf(std::int64_t id, const XPlaneOutline &plane)
    {
        const auto found = plane.statNames.find(id);
        return found == plane.statNames.end() ? std::string_view() : found->second;
    }

    void appendQuoted(std::string &json, std::string_view text)
    {
        const bool isPlain = std::all_of(text.begin(), text.end(), [](char c) {
            return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
        });
        if (isPlain) {
            json += '"';
            json += text;
            json += '"';
        } else {
            json += nlohmann::json(text).dump(-1, ' ', false,
                                              nlohmann::json::error_handler_t::replace);
        }
    }

    void appendValue(std::string &json, const XStat &stat)
    {
        switch (stat.kind) {
        case XStat::Kind::Real:
            json += nlohmann::json(stat.real).dump(); // null for what is no number
            break;
        case XStat::Kind::Unsigned:
            json += std::to_string(stat.natural);
            break;
        case XStat::Kind::Signed:
            json += std::to_string(static_cast<std::int64_t>(stat.natural));
            break;
        case XStat::Kind::Text:
            appendQuoted(json, stat.text);
            break;
        case XStat::Kind::None:
        case XStat::Kind::Opaque:
            break;
        }
    }

} // namespace

std::optional<std::int64_t> XStat::integer() const
{
    const bool isInteger = kind == Kind::Signed
        || (kind == Kind::Unsigned
            && natural <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    return isInteger ? std::optional(static_cast<std::int64_t>(natural)) : std::nullopt;
}

XStat readStat(std::string_view message, const XPlaneOutline &plane)
{
    XStat stat;
    for (ProtobufFields field(message); field.next();) {
        switch (field.number()) {
        case 1:
            stat.name = nameOf(field.integer(), plane);
            break;
        case 2:
            stat.kind = XStat::Kind::Real;
            stat.real = field.real();
            break;
        case 3:
            stat.kind = XStat::Kind::Unsigned;
            stat.natural = field.natural();
            break;
        case 4:
            stat.kind = XStat::Kind::Signed;
            stat.natural = field.natural();
            break;
        case 5:
            stat.kind = XStat::Kind::Text;
            stat.text = field.bytes();
            break;
        case 7: // the text is the name of another statistic
            stat.kind = XStat::Kind::Text;
            stat.text = nameOf(field.integer(), plane);
            break;
        default: // bytes and compressed text
            stat.kind = XStat::Kind::Opaque;
        }
    }
    return stat;
}

const XStat *findStat(const std::vector<XStat> &stats, std::string_view name)
{
    const auto found = std::find_if(stats.begin(), stats.end(),
                                    [name](const XStat &stat) { return stat.name == name; });
    return found == stats.end() ? nullptr : &*found;
}

XStatArgs statsAsJson(const std::vector<XStat> &stats)
{
    XStatArgs args;
    std::string &json = args.json;
    for (const XStat &stat : stats) {
        if (stat.name.empty() || stat.kind == XStat::Kind::None || stat.kind == XStat::Kind::Opaque)
            continue;
        if (json.size() + stat.name.size() + stat.text.size() > MaximumStatArgsBytes) {
            args.isCut = true;
            continue;
        }
        const std::size_t before = json.size();
        json += json.empty() ? "{" : ", ";
        appendQuoted(json, stat.name);
        json += ": ";
        appendValue(json, stat);
        if (json.size() > MaximumStatArgsBytes) { // escapes are longer than what they stand for
            json.resize(before);
            args.isCut = true;
        }
    }
    if (!json.empty())
        json += '}';
    return args;
}

} // namespace core
