#pragma once

#include "core/sqlite/database.h"

#include <QTemporaryDir>

#include <filesystem>
#include <string>

namespace tests {

/// A database that SQL text makes, in a folder of its own that is removed at the end.
class SqliteFile
{
public:
    explicit SqliteFile(const std::string &sql, const char *name = "report.sqlite")
        : m_path(std::filesystem::path(m_folder.path().toStdString()) / name)
    {
        core::Database(m_path, core::OpenMode::Create).execute("BEGIN;" + sql + "COMMIT;");
    }

    const std::filesystem::path &path() const { return m_path; }
    std::filesystem::path folder() const { return m_path.parent_path(); }

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_path;
};

} // namespace tests
