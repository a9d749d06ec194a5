#pragma once

#include "core/import/text/clean_text.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace core {

/// The object that the text is; an empty one for anything else.
inline nlohmann::json objectFrom(std::string_view text)
{
    auto parsed = nlohmann::json::parse(text, nullptr, false);
    return parsed.is_object() ? std::move(parsed) : nlohmann::json::object();
}

/// The text that the value is; "" for anything else. Clean UTF-8: what the parser undoes, such as
/// "\u001b", may be a control character.
inline std::string textOf(const nlohmann::json &value)
{
    return value.is_string() ? cleanText(value.get_ref<const std::string &>()) : std::string();
}

/// The same of a member; "" where `object` has none of that name, or is no object.
inline std::string textMember(const nlohmann::json &object, const char *key)
{
    const auto found = object.find(key);
    return found == object.end() ? std::string() : textOf(*found);
}

} // namespace core
