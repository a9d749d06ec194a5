#pragma once

#include "core/project/write/project_writer.h"

#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tests {

/// Slices with everything that a slice can have, in no order: nested, overlapping, long and
/// empty ones. The same seed gives the same slices on every platform.
class RandomTrace
{
public:
    explicit RandomTrace(std::uint32_t seed)
        : m_random(seed)
    {
    }

    struct Row
    {
        core::SliceRecord record; ///< name, args, collective are set when it is written
        std::string name, args;
    };

    std::vector<Row> rows(std::size_t count, std::int64_t spanNs);

private:
    std::int64_t below(std::int64_t limit)
    {
        return static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(limit));
    }
    std::mt19937_64 m_random;
};

void writeRows(core::TraceSink &sink, core::TrackId track,
               const std::vector<RandomTrace::Row> &rows);

/// Fallback of ProjectWriter::add() for a file that must name its rank.
inline std::optional<int> noRank()
{
    return std::nullopt;
}

/// All bytes of a file; empty if it cannot be read.
std::string readBytes(const std::filesystem::path &path);

/// A new path in a folder of its own, which goes when the object does.
class TemporaryProject
{
public:
    TemporaryProject();
    ~TemporaryProject();
    TemporaryProject(const TemporaryProject &) = delete;
    TemporaryProject &operator=(const TemporaryProject &) = delete;

    std::filesystem::path path;

private:
    std::filesystem::path m_folder;
};

} // namespace tests
