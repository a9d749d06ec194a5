#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

namespace core {

/// The name of a file, which may be any bytes, as it can be shown and stored: valid UTF-8 (other
/// bytes become U+FFFD); control characters, line breaks and those that change the direction of
/// text or are not seen become '_'. Not for opening the file.
std::string shownName(std::string_view name);
inline std::string shownPath(const std::filesystem::path &path)
{
    return shownName(path.string());
}

/// Makes names unique in constant time each, whatever repeats.
class NamesTaken
{
public:
    /// The name; " (2)" and so on is added if it is taken.
    std::string unique(const std::string &name);

private:
    std::unordered_map<std::string, std::size_t> m_counts;
};

} // namespace core
