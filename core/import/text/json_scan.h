#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Scanning of JSON text that lies in memory, possibly in part. Private to core/import.
///
/// Every function takes [p, end) and may look at up to ScanPadding bytes from `end` on, which must
/// be readable and zero. A result at or beyond `end` means that the text goes on after `end`;
/// nullptr means that the text is not JSON.
namespace core::json {

constexpr std::size_t ScanPadding = 64;
/// Of arrays and objects in a value; traces nest less than ten deep. It bounds the search for the
/// next event after damage: a byte is looked at from at most so many brackets that are open there.
constexpr std::uint32_t MaximumDepth = 64;

/// What text that was scanned contains.
enum ScanFlag : std::uint32_t {
    HasEscape = 1U, ///< a backslash
    HasControl = 2U, ///< bytes below 0x20, which JSON does not allow in strings
    HasNonAscii = 4U, ///< bytes from 0x80 on: UTF-8, if all is well
    HasOddScalar = 8U, ///< outside of strings anything but plain decimals: true, 1e3, NaN, 0x1f, or
                       ///< a comma with nothing behind it
};

inline std::uint32_t flagsOf(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 ? HasControl : byte >= 0x80 ? HasNonAscii : 0U;
}

inline bool isSpace(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

inline const char *skipSpace(const char *p)
{
    while (isSpace(*p))
        ++p; // ends in the padding at the latest
    return p;
}

#if defined(__SSE2__)
/// From the byte after an opening quote to its closing quote. Adds to `flags`.
inline const char *findStringEnd(const char *p, const char *end, std::uint32_t &flags)
{
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i escape = _mm_set1_epi8('\\');
    const __m128i lastControl = _mm_set1_epi8(0x1f);
    while (p < end) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
        const auto stops = static_cast<std::uint32_t>(_mm_movemask_epi8(
            _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, escape))));
        const auto controls = static_cast<std::uint32_t>(
            _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(block, lastControl), block)));
        const auto nonAscii = static_cast<std::uint32_t>(_mm_movemask_epi8(block));
        const std::uint32_t before = stops == 0 ? 0xffffU : ((stops & (0U - stops)) - 1U);
        if (((controls | nonAscii) & before) != 0) {
            flags |= (controls & before) != 0 ? HasControl : 0U;
            flags |= (nonAscii & before) != 0 ? HasNonAscii : 0U;
        }
        if (stops == 0) {
            p += 16;
            continue;
        }
        p += __builtin_ctz(stops);
        if (*p == '"')
            return p;
        flags |= HasEscape | flagsOf(p[1]);
        p += 2;
    }
    return p;
}

/// The closing quote if it is among the next 16 bytes with nothing before it that sets a
/// ScanFlag, else nullptr: what suffices for nearly all keys.
inline const char *findNearStringEnd(const char *p)
{
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    const auto stops = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(
        _mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\')))));
    if (stops == 0)
        return nullptr;
    // As signed numbers the bytes from 0x80 on are less than those of control characters.
    const auto unusual
        = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmplt_epi8(block, _mm_set1_epi8(0x20))));
    if ((unusual & ((stops & (0U - stops)) - 1U)) != 0)
        return nullptr;
    p += __builtin_ctz(stops);
    return *p == '"' ? p : nullptr;
}

/// The next byte that is a quote or a bracket, at or after p. Adds HasNonAscii and, for letters,
/// HasOddScalar to `flags` for what it passes.
inline const char *findStructure(const char *p, const char *end, std::uint32_t &flags)
{
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i open = _mm_set1_epi8('{');
    const __m128i close = _mm_set1_epi8('}');
    const __m128i bit = _mm_set1_epi8(0x20); // maps [ to { and ] to }, A to a
    const __m128i beforeLetters = _mm_set1_epi8('a' - 1);
    while (p < end) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
        const __m128i lifted = _mm_or_si128(block, bit);
        const auto hits = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(
            _mm_cmpeq_epi8(block, quote),
            _mm_or_si128(_mm_cmpeq_epi8(lifted, open), _mm_cmpeq_epi8(lifted, close)))));
        const auto nonAscii = static_cast<std::uint32_t>(_mm_movemask_epi8(block));
        const std::uint32_t before = hits == 0 ? 0xffffU : ((hits & (0U - hits)) - 1U);
        // As signed numbers the bytes from 0x80 on are below all letters.
        const auto letters = static_cast<std::uint32_t>(_mm_movemask_epi8(
            _mm_and_si128(_mm_cmpgt_epi8(lifted, beforeLetters), _mm_cmplt_epi8(lifted, open))));
        flags |= (nonAscii & before) != 0 ? HasNonAscii : 0U;
        flags |= (letters & before) != 0 ? HasOddScalar : 0U;
        if (hits != 0)
            return p + __builtin_ctz(hits);
        p += 16;
    }
    return p;
}
#else
inline const char *findNearStringEnd(const char *)
{
    return nullptr;
}

inline const char *findStringEnd(const char *p, const char *end, std::uint32_t &flags)
{
    while (p < end && *p != '"') {
        const bool isEscape = *p == '\\';
        flags |= isEscape ? HasEscape | flagsOf(p[1]) : flagsOf(*p);
        p += isEscape ? 2 : 1;
    }
    return p;
}

inline const char *findStructure(const char *p, const char *end, std::uint32_t &flags)
{
    for (; p < end && *p != '"' && *p != '[' && *p != ']' && *p != '{' && *p != '}'; ++p)
        flags |= static_cast<unsigned char>(*p) >= 0x80 ? HasNonAscii
            : (*p | 0x20) >= 'a' && (*p | 0x20) <= 'z'  ? HasOddScalar
                                                        : 0U;
    return p;
}
#endif

/// How deep a scan goes, and how far it went.
struct ScanEffort
{
    std::uint32_t maximumDepth = MaximumDepth; ///< at most MaximumDepth
    const char *failedAt
        = nullptr; ///< where the text is no JSON; set with a result of nullptr only
};

/// From an opening bracket to after its closing one. Strings must be followed by what may follow a
/// string: without that, one unescaped quote would turn text into strings and strings into text,
/// and hide every event up to the next such quote.
inline const char *skipContainer(const char *p, const char *end, std::uint32_t &flags,
                                 ScanEffort &effort)
{
    std::uint32_t depth = 0;
    std::uint64_t braces
        = 0; // one bit for each of MaximumDepth levels, the innermost lowest: it is a brace
    while (p < end) {
        p = findStructure(p, end, flags);
        if (p >= end)
            return end;
        const char c = *p++;
        if (c == '"') {
            p = findStringEnd(p, end, flags);
            if (p >= end)
                return end;
            p = skipSpace(p + 1);
            if (p < end && *p != ',' && *p != ']' && *p != '}' && *p != ':') {
                effort.failedAt = p;
                return nullptr;
            }
        } else if (c == '{' || c == '[') {
            if (++depth > effort.maximumDepth) {
                effort.failedAt = p;
                return nullptr;
            }
            braces = (braces << 1U) | (c == '{' ? 1U : 0U);
        } else {
            if (((braces & 1U) != 0) != (c == '}')) {
                effort.failedAt = p;
                return nullptr;
            }
            braces >>= 1U;
            const char *last = p - 2; // not before the opening bracket
            while (isSpace(*last))
                --last;
            flags |= *last == ',' ? HasOddScalar : 0U;
            if (--depth == 0)
                return p;
        }
    }
    return end;
}

/// By byte: whether it can be part of a number or word. (No number or word has bytes from 0x80 on.)
inline constexpr std::array<bool, 256> isInScalar = [] {
    std::array<bool, 256> isPart {};
    for (std::size_t byte = ' ' + 1; byte < 0x7f; ++byte)
        isPart[byte] = byte != ',' && byte != '}' && byte != ']' && byte != '"' && byte != ':';
    return isPart;
}();

/// From the first byte of a number or word to the byte after it. Lenient: NaN, Infinity and
/// whatever else has no space, comma or bracket in it. nullptr for nothing at all.
inline const char *skipScalar(const char *p, const char *end)
{
    const char *begin = p;
    while (isInScalar[static_cast<unsigned char>(*p)])
        ++p;
    return p == begin && p < end ? nullptr : p;
}

/// Whether a number is written with digits, at most one point between them, and a sign at most: as
/// nearly all are, and always JSON's.
inline bool isPlainDecimal(const char *p, const char *after)
{
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    p += *p == '-' ? 1 : 0;
    if (p >= after || !isDigit(*p) || (*p == '0' && p + 1 < after && isDigit(p[1])))
        return false;
    while (p < after && isDigit(*p))
        ++p;
    if (p == after)
        return true;
    if (*p != '.' || p + 1 == after)
        return false;
    while (++p < after)
        if (!isDigit(*p))
            return false;
    return true;
}

/// From the first byte of any value to the byte after it.
inline const char *skipValue(const char *p, const char *end, std::uint32_t &flags,
                             ScanEffort &effort)
{
    if (p >= end)
        return end;
    if (*p == '"') {
        p = findStringEnd(p + 1, end, flags);
        return p >= end ? end : p + 1;
    }
    if (*p == '{' || *p == '[')
        return skipContainer(p, end, flags, effort);
    effort.failedAt = p;
    const char *after = p;
    while (*after >= '0' && *after <= '9') // most are whole numbers
        ++after;
    if (after > p && !isInScalar[static_cast<unsigned char>(*after)]
        && (*p != '0' || after == p + 1))
        return after;
    after = skipScalar(p, end);
    if (after != nullptr && !isPlainDecimal(p, after))
        flags |= HasOddScalar;
    return after;
}

inline const char *skipValue(const char *p, const char *end, std::uint32_t &flags)
{
    ScanEffort effort;
    return skipValue(p, end, flags, effort);
}

} // namespace core::json
