#include "core/base/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace core {

namespace {

    /// Letters that change to make the beginning of `word`, and the whole of it, of `text`.
    std::pair<std::size_t, std::size_t> changedLetters(std::string_view text, std::string_view word)
    {
        std::vector<std::size_t> row(word.size() + 1); // of the letters of `text` so far
        std::iota(row.begin(), row.end(), std::size_t { 0 });
        for (const char letter : text) {
            std::size_t diagonal = row[0]++;
            for (std::size_t k = 0; k < word.size(); ++k) {
                const std::size_t replaced = diagonal + (letter == word[k] ? 0 : 1);
                diagonal = row[k + 1];
                row[k + 1] = std::min({ replaced, row[k] + 1, diagonal + 1 });
            }
        }
        return { *std::min_element(row.begin(), row.end()), row.back() };
    }

} // namespace

std::string_view nearestWord(std::string_view text, const std::vector<std::string_view> &words)
{
    std::string_view nearest;
    std::pair least { text.size() / 2 + 1, std::size_t { 0 } };
    for (const std::string_view word : words)
        if (const auto changed = changedLetters(text, word); changed < least && !text.empty()) {
            least = changed;
            nearest = word;
        }
    return nearest;
}

} // namespace core
