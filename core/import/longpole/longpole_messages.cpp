#include "core/import/longpole/longpole_messages.h"

#include "core/import/rank_limit.h"
#include "core/import/text/json_members.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::array Verbs = { MessageVerb { "PUSH ", true }, MessageVerb { "SEND ", true },
                                   MessageVerb { "RECV ", false }, MessageVerb { "PULL ", false } };

} // namespace

std::optional<MessageVerb> messageVerb(std::string_view name)
{
    const auto *const verb = std::find_if(Verbs.begin(), Verbs.end(), [name](const MessageVerb &v) {
        return name.starts_with(v.prefix);
    });
    return verb == Verbs.end() ? std::nullopt : std::optional(*verb);
}

std::optional<RecordedMessage> recordedMessage(const ChromeEvent &event)
{
    const std::optional<MessageVerb> verb = messageVerb(event.name);
    if (!verb)
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
