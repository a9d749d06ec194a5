#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle.h"

#include <QByteArray>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests {

struct Outcome
{
    quint64 size = 0;
    std::string error; ///< empty: read to the end
};

/// Reads in blocks of 1 MiB and compares with the repetitions of `expected`; nothing to compare if
/// it is empty.
inline Outcome readThrough(core::BundleEntry &entry, const QByteArray &expected)
{
    Outcome outcome;
    std::vector<char> block(std::size_t { 1 } << 20U);
    try {
        while (const std::size_t count = entry.read(block)) {
            for (std::size_t i = 0; i < count && !expected.isEmpty();) {
                const auto place = static_cast<qsizetype>((outcome.size + i)
                                                          % static_cast<quint64>(expected.size()));
                const std::size_t piece
                    = std::min(count - i, static_cast<std::size_t>(expected.size() - place));
                if (std::memcmp(block.data() + i, expected.data() + place, piece) != 0)
                    throw std::runtime_error("wrong bytes");
                i += piece;
            }
            outcome.size += count;
        }
    } catch (const core::Error &error) {
        outcome.error = error.what();
    }
    return outcome;
}

inline bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

} // namespace tests
