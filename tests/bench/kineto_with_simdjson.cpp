#include "core/import/decimal_time.h"
#include "tests/bench/kineto_parsers.h"

#include <simdjson.h>

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

} // namespace

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
