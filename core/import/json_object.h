#pragma once

#include <nlohmann/json.hpp>

#include <string_view>

namespace core {

/// The object that the text is; an empty one for anything else.
inline nlohmann::json objectFrom(std::string_view text)
{
    auto parsed = nlohmann::json::parse(text, nullptr, false);
    return parsed.is_object() ? std::move(parsed) : nlohmann::json::object();
}

} // namespace core
