#include "random_trace.h"

#include <unistd.h>

#include <fstream>
#include <iterator>

namespace tests {

std::vector<RandomTrace::Row> RandomTrace::rows(std::size_t count, std::int64_t spanNs)
{
    std::vector<Row> rows(count);
    for (std::size_t i = 0; i < count; ++i) {
        Row &row = rows[i];
        row.record.startNs = 1'700'000'000'000'000'000 + below(spanNs);
        const bool isLong = below(500) == 0;
        row.record.durationNs = isLong ? below(spanNs / 2) : below(20'000);
        if (below(50) == 0)
            row.record.durationNs = 0;
        row.name = "op" + std::to_string(below(40));
        row.record.category = static_cast<core::Category>(below(14));
        row.record.correlation = below(3) == 0 ? 0 : static_cast<std::uint64_t>(below(1'000'000));
        row.record.externalId = static_cast<std::uint64_t>(i);
        row.record.bytes = below(10) == 0 ? m_random() : 0;
        row.record.sequence = static_cast<std::uint64_t>(below(3));
        row.record.node = i % 5 == 0 ? 0 : static_cast<std::uint64_t>(i) + 7;
        if (below(4) != 0)
            row.args = "{\"number\": " + std::to_string(i) + "}";
    }
    return rows;
}

void writeRows(core::TraceSink &sink, core::TrackId track,
               const std::vector<RandomTrace::Row> &rows)
{
    for (const RandomTrace::Row &row : rows) {
        core::SliceRecord record = row.record;
        record.name = sink.intern(row.name);
        record.args = row.args;
        sink.slice(track, record);
    }
}

std::string readBytes(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return { std::istreambuf_iterator<char>(file), {} };
}

TemporaryProject::TemporaryProject()
{
    static int number = 0;
    m_folder = std::filesystem::temp_directory_path()
        / ("longpole-test-" + std::to_string(getpid()) + "-" + std::to_string(++number));
    std::filesystem::create_directories(m_folder);
    path = m_folder / "test.longpole";
}

TemporaryProject::~TemporaryProject()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
}

} // namespace tests
