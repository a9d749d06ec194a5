#include "core/import/recorded_messages.h"

#include "core/import/json_members.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    struct Verb
    {
        std::string_view prefix;
        bool isSend;
    };
    constexpr std::array Verbs = { Verb { "PUSH ", true }, Verb { "SEND ", true },
                                   Verb { "RECV ", false }, Verb { "PULL ", false } };
    constexpr std::uint64_t RankLimit = 10'000'000;

} // namespace

std::optional<RecordedMessage> recordedMessage(const ChromeEvent &event)
{
    const auto *const verb = std::find_if(Verbs.begin(), Verbs.end(), [&event](const Verb &v) {
        return event.name.starts_with(v.prefix);
    });
    if (verb == Verbs.end())
        return std::nullopt;
    std::optional<std::uint64_t> peer;
    json::forEachMember(event.argsText, [&peer](std::string_view key, std::string_view value) {
        if (key == "peer")
            peer = json::naturalIn(value);
    });
    if (!peer || *peer >= RankLimit)
        return std::nullopt;
    return RecordedMessage { verb->isSend, static_cast<int>(*peer),
                             event.name.substr(verb->prefix.size()) };
}

RecordedReduction recordedReduction(const ChromeEvent &event)
{
    RecordedReduction reduction;
    json::forEachMember(event.argsText, [&](std::string_view key, std::string_view value) {
        if (key == "tensor" && value.size() >= 2 && value.front() == '"')
            reduction.tensor = value.substr(1, value.size() - 2);
        else if (key == "ready_us")
            reduction.readyUs = value;
    });
    return reduction;
}

} // namespace core
