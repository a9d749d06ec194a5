#include "core/import/text/decimal_time.h"

#include <charconv>
#include <limits>
#include <string>

namespace core {

namespace {

    constexpr std::int64_t NsPerUs = 1000;
    constexpr std::size_t SafeDigits = 18; // fit into int64
    constexpr std::int64_t LargestUs = std::numeric_limits<std::int64_t>::max() / NsPerUs - 1;

    unsigned digitAt(std::string_view text, std::size_t at)
    {
        return static_cast<unsigned>(static_cast<unsigned char>(text[at])) - '0';
    }

    /// A decimal number taken apart: value = digits * 10^exponent, without sign.
    struct Decimal
    {
        bool isNegative = false;
        std::string digits;
        long exponent = 0;
    };

    std::optional<Decimal> takeApart(std::string_view text)
    {
        Decimal number;
        std::size_t at = 0;
        if (!text.empty() && (text[0] == '-' || text[0] == '+'))
            number.isNegative = text[at++] == '-';
        bool isFraction = false;
        bool hasDigit = false;
        for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
            if (text[at] == '.' && !isFraction) {
                isFraction = true;
                continue;
            }
            if (digitAt(text, at) > 9)
                return std::nullopt;
            hasDigit = true;
            number.digits += text[at];
            number.exponent -= isFraction ? 1 : 0;
        }
        if (!hasDigit)
            return std::nullopt;
        if (at < text.size()) {
            ++at;
            if (at < text.size() && text[at] == '+')
                ++at;
            long exponent = 0;
            const char *end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data() + at, end, exponent);
            if (error != std::errc() || stop != end || exponent > 1000 || exponent < -1000)
                return std::nullopt;
            number.exponent += exponent;
        }
        return number;
    }

    std::optional<std::int64_t> exactly(std::string_view text)
    {
        std::optional<Decimal> number = takeApart(text);
        if (!number)
            return std::nullopt;
        std::string &digits = number->digits;
        const long shift = number->exponent + 3;
        bool roundsUp = false;
        if (shift >= 0) {
            const std::size_t firstDigit = digits.find_first_not_of('0');
            if (firstDigit == std::string::npos)
                return 0;
            digits.append(static_cast<std::size_t>(shift), '0');
        } else if (static_cast<std::size_t>(-shift) > digits.size()) {
            return 0;
        } else {
            const std::size_t kept = digits.size() - static_cast<std::size_t>(-shift);
            roundsUp = digits[kept] >= '5';
            digits.resize(kept);
        }
        std::int64_t value = 0;
        for (const char c : digits) {
            if (__builtin_mul_overflow(value, std::int64_t { 10 }, &value)
                || __builtin_add_overflow(value, std::int64_t { c - '0' }, &value))
                return std::nullopt;
        }
        if (roundsUp && __builtin_add_overflow(value, std::int64_t { 1 }, &value))
            return std::nullopt;
        return number->isNegative ? -value : value;
    }

    template <class Integer>
    std::optional<Integer> wholeNumber(std::string_view text)
    {
        Integer value = 0;
        const char *end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || stop != end)
            return std::nullopt;
        return value;
    }

} // namespace

std::optional<std::int64_t> nanosecondsFromMicroseconds(std::string_view text)
{
    // The usual case, one pass without allocation: digits that surely fit, then at most three more.
    const std::size_t size = text.size();
    std::size_t at = 0;
    std::int64_t whole = 0;
    while (at < size && at < SafeDigits && digitAt(text, at) <= 9)
        whole = whole * 10 + digitAt(text, at++);
    if (at == 0 || whole > LargestUs)
        return exactly(text);
    if (at == size)
        return whole * NsPerUs;
    if (text[at] != '.' || size - at > 4)
        return exactly(text);
    std::int64_t fraction = 0;
    std::int64_t unit = NsPerUs;
    for (++at; at < size; ++at) {
        if (digitAt(text, at) > 9)
            return exactly(text);
        fraction = fraction * 10 + digitAt(text, at);
        unit /= 10;
    }
    return whole * NsPerUs + fraction * unit;
}

std::optional<std::int64_t> integerFrom(std::string_view text)
{
    return wholeNumber<std::int64_t>(text);
}

std::optional<std::uint64_t> unsignedFrom(std::string_view text)
{
    return wholeNumber<std::uint64_t>(text);
}

} // namespace core
