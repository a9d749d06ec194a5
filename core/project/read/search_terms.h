#pragma once

#include "core/model/category.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Ranks [first, last].
struct RankSpan
{
    int first = 0, last = 0;
};

/// Terms that slices are looked for by; all must hold. ASCII letters match in either case.
struct SearchTerms
{
    std::vector<std::string> texts; ///< lower case; the name contains each
    std::vector<std::string> expressions; ///< checked; the first 2 KiB of the name fit each
    std::vector<std::vector<RankSpan>> ranks; ///< of every term, one span holds the rank
    std::int64_t minDurationNs = std::numeric_limits<std::int64_t>::min(); ///< inclusive
    std::int64_t maxDurationNs = std::numeric_limits<std::int64_t>::max(); ///< inclusive
    std::vector<std::vector<Category>> kinds; ///< of every term, one is the slice's
    std::vector<std::string> tracks; ///< lower case; the track's name contains each
    std::vector<std::string> streams; ///< lower case; a device's stream, its id as in the trace

    bool isEmpty() const;
};

/// Terms of one text as it is, blanks included.
SearchTerms searchForText(std::string_view text);

/// Reads terms between blanks: text, "text with blanks", /expression/ (ECMAScript), rank:0-3,7,
/// dur>5ms (also >=, <, <=; ns, us, ms, s), kind:comm (of kinds whose words begin so, see
/// opKindWord()), track:text, stream:7. Throws Error with the position, from 1, and the cause.
SearchTerms parseSearch(std::string_view text);

} // namespace core
