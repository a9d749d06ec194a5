#include "core/project/read/search_terms.h"

#include "core/base/ascii_text.h"
#include "core/base/error.h"
#include "core/model/kinds/op_kind.h"
#include "core/project/read/search_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace core {

namespace {

    /// A part of the search text and where it begins, from 0.
    struct Piece
    {
        std::string_view text;
        std::size_t at = 0;
    };

    std::vector<Category> categoriesOf(OpTableKind kind)
    {
        std::vector<Category> all;
        for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(Category::Span); ++i)
            if (const auto category = static_cast<Category>(i); opTableKindOf(category) == kind)
                all.push_back(category);
        return all;
    }

    [[noreturn]] void failAt(std::size_t at, const std::string &cause)
    {
        throw Error("position " + std::to_string(at + 1) + ": " + cause);
    }

    std::string expressionOf(const Piece &piece)
    {
        std::string expression(piece.text);
        if (const auto fault = faultOf(expression))
            failAt(piece.at + fault->at, fault->cause);
        return expression;
    }

    template <class Number>
    Number numberOf(std::string_view digits, std::size_t at, const char *wanted)
    {
        Number number {};
        const char *end = digits.data() + digits.size();
        const auto read = std::from_chars(digits.data(), end, number);
        if (digits.empty() || read.ec != std::errc() || read.ptr != end || number < 0)
            failAt(at, wanted);
        return number;
    }

    /// Parts between commas.
    std::vector<Piece> listOf(const Piece &piece)
    {
        std::vector<Piece> parts;
        for (std::size_t from = 0; from <= piece.text.size();) {
            const std::size_t comma = std::min(piece.text.find(',', from), piece.text.size());
            parts.push_back({ piece.text.substr(from, comma - from), piece.at + from });
            from = comma + 1;
        }
        return parts;
    }

    /// "0-7", whichever comes first.
    std::string wordOf(const RankSpan &span)
    {
        const auto [lowest, highest] = std::minmax(span.first, span.last);
        return std::to_string(lowest) + "-" + std::to_string(highest);
    }

    void readRanks(const Piece &value, SearchTerms &terms)
    {
        constexpr const char *Wanted = "ranks are a number, 0-7 or 0,3";
        std::vector<RankSpan> spans;
        for (const Piece &part : listOf(value)) {
            const std::size_t dash = part.text.find('-');
            RankSpan span;
            span.first = numberOf<int>(part.text.substr(0, dash), part.at, Wanted);
            span.last = dash == std::string_view::npos
                ? span.first
                : numberOf<int>(part.text.substr(dash + 1), part.at + dash + 1, Wanted);
            if (span.last < span.first)
                failAt(part.at, "the lower rank first: " + wordOf(span));
            spans.push_back(span);
        }
        terms.ranks.push_back(std::move(spans));
    }

    void readKinds(const Piece &value, SearchTerms &terms)
    {
        std::vector<Category> categories;
        for (const Piece &part : listOf(value)) {
            const std::vector<OpTableKind> kinds = opKindsNamed(part.text);
            if (kinds.empty())
                failAt(part.at, "no such kind; kinds are " + allOpKindWords());
            for (const OpTableKind kind : kinds)
                for (const Category category : categoriesOf(kind))
                    categories.push_back(category);
        }
        terms.kinds.push_back(std::move(categories));
    }

    void readTrack(const Piece &value, SearchTerms &terms)
    {
        terms.tracks.push_back(lowered(value.text));
    }

    void readStream(const Piece &value, SearchTerms &terms)
    {
        terms.streams.push_back(lowered(value.text));
    }

    std::int64_t durationOf(const Piece &value)
    {
        constexpr std::array<std::pair<std::string_view, double>, 5> Units {
            { { "ns", 1 }, { "us", 1e3 }, { "\u00b5s", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } }
        };
        constexpr double MostNs = 9e18;
        const std::size_t digits
            = std::min(value.text.find_first_not_of("0123456789."), value.text.size());
        const std::string unit = lowered(value.text.substr(digits));
        const auto *found = std::ranges::find(Units, std::string_view(unit),
                                              &std::pair<std::string_view, double>::first);
        const double number = numberOf<double>(value.text.substr(0, digits), value.at,
                                               "a duration is a number and a unit, such as 5ms");
        if (found == Units.end())
            failAt(value.at + digits, "a duration needs a unit: ns, us, ms or s");
        return std::llround(std::min(number * found->second, MostNs));
    }

    /// text: `dur` and what follows it.
    void readDuration(const Piece &piece, SearchTerms &terms)
    {
        constexpr std::size_t Name = 3;
        const bool isMore = piece.text[Name] == '>';
        const bool isInclusive = piece.text.substr(Name + 1).starts_with('=');
        const std::size_t skip = Name + (isInclusive ? 2 : 1);
        const std::int64_t ns = durationOf({ piece.text.substr(skip), piece.at + skip });
        const std::int64_t step = isInclusive ? 0 : 1;
        if (isMore)
            terms.minDurationNs = std::max(terms.minDurationNs, ns + step);
        else
            terms.maxDurationNs = std::min(terms.maxDurationNs, ns - step);
    }

    /// Reads terms one after the other.
    class TermReader
    {
    public:
        explicit TermReader(std::string_view text)
            : m_text(text)
        {
        }

        SearchTerms read()
        {
            for (skipBlanks(); m_at < m_text.size(); skipBlanks())
                readTerm();
            return std::move(m_terms);
        }

    private:
        struct Field
        {
            std::string_view name;
            void (*read)(const Piece &value, SearchTerms &terms);
        };

        static constexpr std::array<Field, 4> Fields { { { "rank:", readRanks },
                                                         { "kind:", readKinds },
                                                         { "track:", readTrack },
                                                         { "stream:", readStream } } };

        void skipBlanks() { m_at = std::min(m_text.find_first_not_of(' ', m_at), m_text.size()); }

        bool startsWith(std::string_view word) const
        {
            return lowered(m_text.substr(m_at, word.size())) == word;
        }

        /// Up to the next blank.
        Piece word()
        {
            const std::size_t from = m_at;
            m_at = std::min(m_text.find(' ', from), m_text.size());
            return { m_text.substr(from, m_at - from), from };
        }

        /// Between two of the character, the second before a blank or the end.
        Piece enclosed(char mark, const char *missing)
        {
            const std::size_t from = m_at + 1;
            for (std::size_t end = m_text.find(mark, from); end != std::string_view::npos;
                 end = m_text.find(mark, end + 1)) {
                const bool isLast = end + 1 == m_text.size() || m_text[end + 1] == ' ';
                if (!isLast || end == from || (mark == '/' && m_text[end - 1] == '\\'))
                    continue;
                m_at = end + 1;
                return { m_text.substr(from, end - from), from };
            }
            failAt(m_at, missing);
        }

        Piece value()
        {
            if (startsWith("\""))
                return enclosed('"', "a closing \" is missing");
            const Piece piece = word();
            if (piece.text.empty())
                failAt(piece.at, "a value is missing");
            return piece;
        }

        void readTerm()
        {
            for (const Field &field : Fields) {
                if (!startsWith(field.name))
                    continue;
                m_at += field.name.size();
                return field.read(value(), m_terms);
            }
            if (startsWith("/"))
                m_terms.expressions.push_back(
                    expressionOf(enclosed('/', "a closing / is missing; or quote the text")));
            else if (startsWith("dur<") || startsWith("dur>"))
                readDuration(word(), m_terms);
            else
                m_terms.texts.push_back(lowered(value().text));
        }

        std::string_view m_text;
        std::size_t m_at = 0;
        SearchTerms m_terms;
    };

} // namespace

bool SearchTerms::isEmpty() const
{
    return texts.empty() && expressions.empty() && ranks.empty() && kinds.empty() && tracks.empty()
        && streams.empty() && minDurationNs == std::numeric_limits<std::int64_t>::min()
        && maxDurationNs == std::numeric_limits<std::int64_t>::max();
}

SearchTerms searchForText(std::string_view text)
{
    SearchTerms terms;
    terms.texts.push_back(lowered(text));
    return terms;
}

SearchTerms parseSearch(std::string_view text)
{
    return TermReader(text).read();
}

} // namespace core
