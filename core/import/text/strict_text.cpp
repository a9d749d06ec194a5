#include "core/import/text/strict_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace core {

namespace {

    bool isBlank(char c)
    {
        return static_cast<unsigned char>(c) <= ' ';
    }

    bool isHexDigit(char c)
    {
        return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
    }

    /// `text` starts behind a backslash.
    bool isEscape(std::string_view text)
    {
        constexpr std::string_view Single = "\"\\/bfnrt";
        if (text.empty())
            return false;
        if (text[0] != 'u')
            return Single.find(text[0]) != std::string_view::npos;
        return text.size() > 4 && std::all_of(text.begin() + 1, text.begin() + 5, isHexDigit);
    }

    class StrictWriter
    {
    public:
        explicit StrictWriter(std::string_view json)
            : m_json(json)
        {
            m_out.reserve(json.size());
        }

        std::string write()
        {
            while (m_at < m_json.size() && !(m_levels.empty() && !m_out.empty()))
                takeToken();
            while (!m_levels.empty())
                close();
            return std::move(m_out);
        }

    private:
        struct Level
        {
            bool isObject;
            bool isEmpty = true;
            bool hasKey = false; ///< the value of the last one is still to come
        };

        void takeToken()
        {
            const char c = m_json[m_at];
            if (isBlank(c) || c == ',' || c == ':') {
                m_between += c;
                ++m_at;
            } else if (c == '{' || c == '[') {
                ++m_at;
                beginValue();
                m_out += c;
                m_levels.push_back({ c == '{' });
            } else if (c == '}' || c == ']') {
                ++m_at;
                if (!m_levels.empty() && m_levels.back().isObject == (c == '}'))
                    close();
            } else if (c == '"') {
                addText(takeString(), true);
            } else {
                takeWord();
            }
        }

        std::string takeString()
        {
            std::string text = "\"";
            for (++m_at; m_at < m_json.size() && m_json[m_at] != '"'; ++m_at) {
                text += m_json[m_at];
                if (m_json[m_at] != '\\')
                    continue;
                if (isEscape(m_json.substr(m_at + 1)))
                    text += m_json[++m_at];
                else
                    text += '\\';
            }
            ++m_at;
            return text + '"';
        }

        void takeWord()
        {
            constexpr std::string_view Ends = ",:{}[]\"";
            const std::size_t from = m_at;
            while (m_at < m_json.size() && !isBlank(m_json[m_at])
                   && Ends.find(m_json[m_at]) == std::string_view::npos)
                ++m_at;
            const std::string_view word = m_json.substr(from, m_at - from);
            const bool isNext = std::all_of(m_between.begin(), m_between.end(), isBlank);
            if (m_word && isNext) {
                addWord(word);
                return;
            }
            const std::string text = isStrictScalar(word) ? std::string(word) : quotedText(word);
            addText(text, false);
            if (!m_levels.empty() && !m_levels.back().hasKey)
                m_word = m_out.size() - text.size();
        }

        /// Several words are one text.
        void addWord(std::string_view word)
        {
            if (m_out[*m_word] != '"') {
                m_out.insert(*m_word, 1, '"');
                m_out += '"';
            }
            m_out.back() = ' ';
            m_out += quotedText(word).substr(1);
            m_between.clear();
        }

        /// A string or word, as a key or a value.
        void addText(const std::string &text, bool isString)
        {
            if (isKeyNext()) {
                separate();
                m_out += isString || text.front() == '"' ? text : quotedText(text);
                m_levels.back().hasKey = true;
            } else {
                beginValue();
                m_out += text;
            }
        }

        /// A key without a value is done with where a comma follows it.
        bool isKeyNext()
        {
            if (m_levels.empty() || !m_levels.back().isObject)
                return false;
            if (m_levels.back().hasKey && m_between.find(',') != std::string::npos)
                endKey();
            return !m_levels.back().hasKey;
        }

        void endKey()
        {
            m_out += ": null";
            m_levels.back().hasKey = false;
        }

        void beginValue()
        {
            if (isKeyNext()) {
                separate();
                m_out += "\"\": ";
            } else if (!m_levels.empty() && m_levels.back().hasKey) {
                const bool isOneColon = std::count(m_between.begin(), m_between.end(), ':') == 1;
                m_out += isOneColon ? m_between : ": ";
                m_levels.back().hasKey = false;
                forget();
            } else {
                separate();
            }
        }

        /// Between two elements, or before the first.
        void separate()
        {
            if (!m_levels.empty()) {
                const auto commas = std::count(m_between.begin(), m_between.end(), ',');
                const bool isFirst = m_levels.back().isEmpty;
                const bool isRight
                    = commas == (isFirst ? 0 : 1) && m_between.find(':') == std::string::npos;
                m_out += isRight ? m_between : isFirst ? "" : ", ";
                m_levels.back().isEmpty = false;
            }
            forget();
        }

        void close()
        {
            if (m_levels.back().hasKey)
                endKey();
            if (std::all_of(m_between.begin(), m_between.end(), isBlank))
                m_out += m_between;
            m_out += m_levels.back().isObject ? '}' : ']';
            m_levels.pop_back();
            forget();
        }

        void forget()
        {
            m_between.clear();
            m_word.reset();
        }

        std::string_view m_json;
        std::size_t m_at = 0;
        std::string m_out;
        std::string m_between; ///< blanks, commas and colons since what was written last
        std::optional<std::size_t> m_word; ///< where in m_out a word begins that was written last
        std::vector<Level> m_levels;
    };

} // namespace

bool isStrictScalar(std::string_view value)
{
    if (value.empty())
        return false;
    if (value == "true" || value == "false" || value == "null")
        return true;
    const std::size_t digits = value[0] == '-' ? 1 : 0;
    const bool hasLeadingZero = value.size() > digits + 1 && value[digits] == '0'
        && value[digits + 1] != '.' && value[digits + 1] != 'e' && value[digits + 1] != 'E';
    const std::size_t point = value.find('.');
    const bool isPointLast = point != std::string_view::npos
        && (point + 1 == value.size() || value[point + 1] < '0' || value[point + 1] > '9');
    if (digits >= value.size() || value[digits] < '0' || value[digits] > '9' || hasLeadingZero
        || isPointLast)
        return false;
    double number = 0;
    const char *end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    return error == std::errc() && stop == end && std::isfinite(number);
}

std::string quotedText(std::string_view text)
{
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            all += '\\';
        all += c;
    }
    return all + '"';
}

std::string strictText(std::string_view json)
{
    return StrictWriter(json).write();
}

} // namespace core
