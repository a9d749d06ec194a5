#pragma once

#include "core/import/tensorflow/xplane_importer.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <cstddef>
#include <string>

namespace tests {

inline const core::XPlaneImporter &xplaneImporter()
{
    static const core::XPlaneImporter theImporter;
    return theImporter;
}

inline RecordingSink importedXPlane(const std::string &space, std::size_t blockSize = 1 << 20)
{
    MemoryEntry entry(space, blockSize);
    RecordingSink sink;
    xplaneImporter().read(entry, sink, {});
    return sink;
}

} // namespace tests
