#pragma once

#include "core/import/kineto/kineto_importer.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <sstream>
#include <string>

namespace tests {

inline const core::KinetoImporter &importer()
{
    static const core::KinetoImporter theImporter;
    return theImporter;
}

inline RecordingSink imported(const std::string &json, std::size_t blockSize = 1 << 20,
                              const std::string &endsWith = {})
{
    MemoryEntry entry(json, blockSize, endsWith);
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
}

/// An X event without arguments that starts at `us` and lasts one microsecond.
inline std::string opEvent(const std::string &name, const std::string &us = "5")
{
    return R"({"ph": "X", "cat": "cpu_op", "name": ")" + name + R"(", "pid": 1, "tid": 1, "ts": )"
        + us + R"(, "dur": 1})";
}

inline std::string trace(const std::string &events)
{
    return R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}";
}

/// The names of all slices, in order.
inline std::string names(const RecordingSink &sink)
{
    std::istringstream lines(sink.text());
    std::string all;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t open = line.find('"');
        if (line.starts_with("  "))
            all += (all.empty() ? "" : " ")
                + line.substr(open + 1, line.find('"', open + 1) - open - 1);
    }
    return all;
}

} // namespace tests
