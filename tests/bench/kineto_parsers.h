#pragma once

#include <cstdint>
#include <string>

namespace bench {

/// What every parser computes of a trace, so that all do the same work and can be compared.
struct Extracted
{
    std::uint64_t events = 0;
    std::uint64_t slices = 0;
    std::uint64_t timeSumNs = 0; ///< starts and durations, modulo 2^64
    std::uint64_t linkSum = 0; ///< correlation and External id
    std::uint64_t textSize = 0; ///< bytes of names and of args

    bool operator==(const Extracted &) const = default;
};

/// The importer, from an entry in memory to a sink that only adds up. Single pass, constant memory.
Extracted withImporter(const std::string &json);
/// RapidJSON, SAX, in situ: needs the whole file in memory and destroys it.
Extracted withRapidJson(std::string &json);
/// simdjson, on demand: needs the whole file in memory.
Extracted withSimdJson(const std::string &json);
/// simdjson's document: needs the whole file in memory, and several times as much for the document.
/// Its times are doubles, which do not hold nanoseconds since 1970.
Extracted withSimdJsonDocument(const std::string &json);
/// The importer's scanner finds where events end, and simdjson reads each on demand: in a window.
Extracted withSplitterAndSimdJson(const std::string &json);

} // namespace bench
