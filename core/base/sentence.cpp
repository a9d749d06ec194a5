#include "core/base/sentence.h"

#include <string_view>

namespace core {

std::string sentence(const std::string &message)
{
    constexpr std::string_view SmallLetters = "abcdefghijklmnopqrstuvwxyz";
    if (message.empty())
        return {};
    std::string text = message;
    const std::size_t end = text.find_first_not_of(SmallLetters);
    if (end != 0 && (end == std::string::npos || text[end] == ' ' || text[end] == ','))
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    if (std::string_view(".!?").find(text.back()) == std::string_view::npos)
        text += '.';
    return text;
}

std::string withCapital(std::string text)
{
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string firstSentence(const std::string &text)
{
    for (std::size_t i = 1; i + 2 < text.size(); ++i)
        if (text[i] == '.' && text[i + 1] == ' ' && text[i + 2] >= 'A' && text[i + 2] <= 'Z')
            return text.substr(0, i + 1);
    return text;
}

std::string withoutCapital(std::string text)
{
    const auto isSmall = [](char c) { return (c >= 'a' && c <= 'z') || c == ' '; };
    const bool isCapital = !text.empty() && text.front() >= 'A' && text.front() <= 'Z';
    if (isCapital && text.size() > 1 && isSmall(text[1]))
        text.front() = static_cast<char>(text.front() - 'A' + 'a');
    return text;
}

} // namespace core
