#pragma once

#include "core/bundle/bundle.h"
#include "core/import/nsight/nsight_importer.h"
#include "tests/support/recording_sink.h"
#include "tests/support/sqlite_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// Small reports of Nsight Systems, written as SQL.

namespace tests {

inline const core::NsightImporter &importer()
{
    static const core::NsightImporter theImporter;
    return theImporter;
}

/// A sink with little memory.
class SmallSink : public RecordingSink
{
public:
    std::size_t importerBytes() const override { return 4096; }
};

inline RecordingSink importedFile(const std::filesystem::path &path,
                                  const core::JobControl &control = {})
{
    RecordingSink sink;
    importer().read(*core::openBundle({ path })->open(0), sink, control);
    return sink;
}

inline RecordingSink imported(const std::string &sql)
{
    return importedFile(SqliteFile(sql).path());
}

inline std::string contentsOf(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return { std::istreambuf_iterator<char>(file), {} };
}

/// A report with one process and one kernel; `more` may add to it.
inline std::string smallReport(const std::string &more = {})
{
    return R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'gemm');
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1000000);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
    contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
    demangledName INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 1, 7, 1, 16777216, 1);
)" + more;
}

/// A kernel's row in smallReport().
inline std::string kernel(const std::string &process, const std::string &name = "1")
{
    return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 40, 0, 1, 7, 2, " + process + ", "
        + name + ");";
}

/// 30000 more kernels for smallReport().
inline std::string manyKernels()
{
    return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
           "SELECT "
           "i + 1 FROM n WHERE i < 30000) SELECT i, i + 1, 0, 1, 7, i, 16777216, 1 FROM n;";
}

inline std::string nvtxTable()
{
    return "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, "
           "globalTid INTEGER, domainId INTEGER, binaryData BLOB);";
}

inline bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

} // namespace tests
