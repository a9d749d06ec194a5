#include "core/import/text/decimal_time.h"
#include "core/import/text/json_scan.h"
#include "tests/bench/kineto_parsers.h"

#include <simdjson.h>

#include <algorithm>
#include <string_view>

namespace bench {

namespace {

    namespace ondemand = simdjson::ondemand;

    std::string_view withoutTrailingSpace(std::string_view token)
    {
        return token.substr(0, token.find_last_not_of(" \n\r\t") + 1);
    }

    std::uint64_t linksOf(ondemand::object args)
    {
        std::uint64_t sum = 0;
        for (auto field : args) {
            const ondemand::raw_json_string key = field.key();
            if (key == "correlation" || key == "External id")
                sum += core::unsignedFrom(withoutTrailingSpace(field.value().raw_json_token()))
                           .value_or(0);
        }
        return sum;
    }

    void addEvent(ondemand::object event, Extracted &extracted)
    {
        ++extracted.events;
        bool isComplete = false;
        std::string_view name;
        std::int64_t timeNs = 0;
        std::uint64_t links = 0;
        for (auto field : event) {
            const ondemand::raw_json_string key = field.key();
            if (key == "ph")
                isComplete = std::string_view(field.value().get_string()) == "X";
            else if (key == "name")
                name = field.value().get_string();
            else if (key == "ts" || key == "dur")
                timeNs += core::nanosecondsFromMicroseconds(
                              withoutTrailingSpace(field.value().raw_json_token()))
                              .value_or(0);
            else if (key == "args")
                links = linksOf(field.value().get_object());
        }
        if (!isComplete)
            return;
        ++extracted.slices;
        extracted.textSize += name.size();
        extracted.timeSumNs += static_cast<std::uint64_t>(timeNs);
        extracted.linkSum += links;
    }

    std::uint64_t numberOf(simdjson::dom::element value)
    {
        std::uint64_t number = 0;
        return value.get(number) == simdjson::SUCCESS ? number : 0;
    }

    double microsecondsOf(simdjson::dom::element value)
    {
        double number = 0;
        return value.get(number) == simdjson::SUCCESS ? number : 0;
    }

    void addEvent(simdjson::dom::object event, Extracted &extracted)
    {
        ++extracted.events;
        bool isComplete = false;
        std::string_view name;
        double timeUs = 0;
        std::uint64_t links = 0;
        for (const auto &[key, value] : event) {
            if (key == "ph")
                isComplete = std::string_view(value.get_string()) == "X";
            else if (key == "name")
                name = value.get_string();
            else if (key == "ts" || key == "dur")
                timeUs += microsecondsOf(value);
            else if (key == "args")
                for (const auto &[arg, of] : value.get_object())
                    if (arg == "correlation" || arg == "External id")
                        links += numberOf(of);
        }
        if (!isComplete)
            return;
        ++extracted.slices;
        extracted.textSize += name.size();
        extracted.timeSumNs += static_cast<std::uint64_t>(timeUs * 1e3);
        extracted.linkSum += links;
    }

} // namespace

Extracted withSimdJsonDocument(const std::string &json)
{
    Extracted extracted;
    simdjson::dom::parser parser;
    const simdjson::dom::array events = parser.parse(json)["traceEvents"].get_array();
    for (const simdjson::dom::element event : events)
        addEvent(event.get_object(), extracted);
    return extracted;
}

Extracted withSplitterAndSimdJson(const std::string &json)
{
    constexpr std::size_t Padding
        = std::max<std::size_t>(simdjson::SIMDJSON_PADDING, core::json::ScanPadding);
    Extracted extracted;
    const simdjson::padded_string padded(json + std::string(Padding, '\0'));
    const char *const end = padded.data() + json.size();
    const char *p = padded.data() + json.find('[', json.find("\"traceEvents\"")) + 1;
    ondemand::parser parser;
    for (;;) {
        p = core::json::skipSpace(p);
        if (*p == ',')
            p = core::json::skipSpace(p + 1);
        if (p >= end || *p != '{')
            return extracted;
        std::uint32_t flags = 0;
        core::json::ScanEffort effort;
        const char *after = core::json::skipContainer(p, end, flags, effort);
        if (after == nullptr)
            return extracted;
        const auto size = static_cast<std::size_t>(after - p);
        ondemand::document event
            = parser.iterate(simdjson::padded_string_view(p, size, size + Padding));
        addEvent(event.get_object(), extracted);
        p = after;
    }
}

Extracted withSimdJson(const std::string &json)
{
    Extracted extracted;
    const simdjson::padded_string padded(json);
    ondemand::parser parser;
    ondemand::document document = parser.iterate(padded);
    for (auto event : document["traceEvents"].get_array())
        addEvent(event.get_object(), extracted);
    return extracted;
}

} // namespace bench
