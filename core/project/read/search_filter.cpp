#include "core/project/read/search_filter.h"

#include "core/base/ascii_text.h"
#include "core/project/read/search_expression.h"

#include <algorithm>
#include <iterator>

namespace core {

namespace {

    constexpr std::size_t NamesAPoll = 256; ///< between two looks at cancel
    /// Beginning of a name that expressions look at: their time may grow with its square.
    constexpr std::ptrdiff_t SearchedBytes = 2048;

    using Flags = std::vector<std::uint8_t>;

    Flags namesWithText(const std::vector<std::string> &names, const std::string &text)
    {
        Flags flags(names.size());
        std::ranges::transform(names, flags.begin(), [&text](const std::string &name) {
            return lowered(name).find(text) != std::string::npos;
        });
        return flags;
    }

    Flags namesWithAll(const std::vector<std::string> &names,
                       const std::vector<std::string> &expressions, const JobControl &control)
    {
        Flags flags(names.size(), 1);
        if (expressions.empty())
            return flags;
        std::vector<std::regex> compiled(expressions.size());
        std::ranges::transform(expressions, compiled.begin(), compileExpression);
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (i % NamesAPoll == 0)
                throwIfCancelled(control);
            flags[i] = std::ranges::all_of(compiled, [&](const std::regex &expression) {
                const auto length = std::min(std::ssize(names[i]), SearchedBytes);
                return std::regex_search(names[i].begin(), names[i].begin() + length, expression);
            });
        }
        return flags;
    }

    bool holdsRank(const std::vector<RankSpan> &spans, int rank)
    {
        return std::ranges::any_of(spans, [rank](const RankSpan &span) {
            return rank >= span.first && rank <= span.last;
        });
    }

    bool fitsTerms(const SearchTerms &terms, const Track &track, int rank)
    {
        const std::string name = lowered(track.name);
        const std::string stream = lowered(track.tid);
        return std::ranges::all_of(
                   terms.ranks,
                   [rank](const std::vector<RankSpan> &spans) { return holdsRank(spans, rank); })
            && std::ranges::all_of(terms.tracks,
                                   [&name](const std::string &text) {
                                       return name.find(text) != std::string::npos;
                                   })
            && std::ranges::all_of(terms.streams, [&](const std::string &text) {
                   return track.kind == TrackKind::Stream
                       && (stream == text || name == "stream " + text);
               });
    }

    Flags tracksThatFit(const ProjectTables &tables, const SearchTerms &terms)
    {
        Flags flags(tables.tracks.size());
        std::ranges::transform(tables.tracks, flags.begin(), [&](const Track &track) {
            return fitsTerms(terms, track, tables.workers[track.worker.value].rank);
        });
        return flags;
    }

    Flags kindsThatFit(const SearchTerms &terms)
    {
        Flags flags(static_cast<std::size_t>(Category::Span) + 1);
        for (std::size_t i = 0; i < flags.size(); ++i) {
            flags[i] = std::ranges::all_of(
                terms.kinds, [category = static_cast<Category>(i)](const auto &kinds) {
                    return std::ranges::find(kinds, category) != kinds.end();
                });
        }
        return flags;
    }

} // namespace

SearchFilter::SearchFilter(SliceStore &store, const SearchTerms &terms, const JobControl &control)
    : m_store(store)
    , m_minDurationNs(terms.minDurationNs)
    , m_maxDurationNs(terms.maxDurationNs)
    , m_texts(terms.texts)
    , m_tracks(tracksThatFit(store.tables(), terms))
    , m_kinds(kindsThatFit(terms))
    , m_byExpression(namesWithAll(store.names(), terms.expressions, control))
    , m_byName(m_byExpression)
{
    m_byText.reserve(m_texts.size());
    for (const std::string &text : m_texts) {
        m_byText.push_back(namesWithText(store.names(), text));
        std::ranges::transform(m_byName, m_byText.back(), m_byName.begin(),
                               [](std::uint8_t a, std::uint8_t b) { return a & b; });
    }
    m_isAnyName = std::ranges::find(m_byName, 1) != m_byName.end();
}

bool SearchFilter::mayFitInChunk(std::size_t chunk) const
{
    return m_isAnyName && fitsTrack(m_store.chunks()[chunk].track)
        && m_store.chunkIndex().mayHoldAny(chunk, m_byName);
}

bool SearchFilter::fitsByArgs(const SliceColumns &slices, std::size_t row,
                              std::string_view args) const
{
    const std::size_t name = slices.name[row].value;
    if (m_byExpression[name] == 0 || !fitsKind(slices, row))
        return false;
    for (std::size_t i = 0; i < m_texts.size(); ++i)
        if (m_byText[i][name] == 0 && args.find(m_texts[i]) == std::string_view::npos)
            return false;
    return true;
}

FoundSlice foundSlice(const ChunkInfo &chunk, const SliceColumns &slices, std::size_t row)
{
    return { SliceId(chunk.firstSlice + row), chunk.track, slices.name[row], slices.startNs[row],
             slices.durationNs[row] };
}

} // namespace core
