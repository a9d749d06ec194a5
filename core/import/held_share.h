#pragma once

#include "core/model/trace_sink.h"

#include <cstddef>

namespace core {

/// The part of what an importer may hold that one of its tables has. Importers of several formats
/// are made of the same tables (names of rows, open slices, rows, transfers), so that each alone
/// cannot have all of it: a file that fills every table would take a multiple of the memory limit.
inline std::size_t heldShare(const TraceSink &sink)
{
    constexpr std::size_t HeldTables = 4;
    return sink.importerBytes() / HeldTables;
}

} // namespace core
