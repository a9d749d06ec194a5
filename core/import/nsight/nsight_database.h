#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/sqlite/database.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// One row of a table of an export. Columns count from 0 in the order in which they were asked for;
/// a column that the table lacks, or a value of another type, is absent.
class NsightRow
{
public:
    explicit NsightRow(const Statement &statement)
        : m_statement(statement)
    {
    }

    std::optional<std::int64_t> number(int column) const
    {
        return m_statement.isInteger(column) ? std::optional(m_statement.integer(column))
                                             : std::nullopt;
    }
    /// The same for what is never negative.
    std::optional<std::uint64_t> natural(int column) const;
    bool isNull(int column) const { return m_statement.isNull(column); }
    /// Raw bytes as stored, valid until the next row.
    std::string_view text(int column) const { return m_statement.textView(column); }
    ByteSpan bytes(int column) const { return m_statement.bytes(column); }

private:
    const Statement &m_statement;
};

/// An export of Nsight Systems as a set of tables. Tables are created only when they have rows, and
/// columns come and go between versions: what is absent reads as no rows and as NULL. Views,
/// virtual tables and generated columns of the file are never looked at.
class NsightDatabase
{
public:
    using Visit = std::function<void(const NsightRow &)>;

    /// `name` is what diagnostics call the file. Throws Error if it is no readable database.
    NsightDatabase(const std::filesystem::path &path, std::string name, Diagnostics &diagnostics,
                   const JobControl &control);

    const std::string &name() const { return m_name; }
    Diagnostics &diagnostics() { return m_diagnostics; }
    const std::set<std::string> &tables() const { return m_tables; }
    bool has(std::string_view table) const { return m_tables.count(std::string(table)) != 0; }
    bool has(std::string_view table, std::string_view column);
    /// True if `column` is the table's rowid, so that looking it up is quick.
    bool isRowId(std::string_view table, std::string_view column);
    /// About how many rows the table has; 0 if it does not exist.
    std::uint64_t estimatedRows(std::string_view table);

    /// Calls `visit` for every row, in the order of the file. Damage ends the table, not the file:
    /// it is counted. Returns how many rows there were.
    std::uint64_t forEachRow(std::string_view table, const std::vector<std::string_view> &columns,
                             const Visit &visit);
    /// SELECT of these columns (NULL where absent) with `rest` behind FROM.
    Statement select(std::string_view table, const std::vector<std::string_view> &columns,
                     std::string_view rest = {});
    /// A text by its key; absent where there is none, or it is damaged, which is counted.
    std::optional<std::string_view> lookUp(Statement &statement, std::int64_t key);
    void execute(const std::string &sql) { m_db.execute(sql); }
    /// Rows that forEachRow() will give altogether, for progress.
    void expectRows(std::uint64_t count) { m_expectedRows += count; }

private:
    struct Column
    {
        std::string name;
        bool isIntegerKey = false;
    };
    const std::vector<Column> &columnsOf(const std::string &table);
    void reportProgress(std::string_view table);

    Database m_db;
    std::string m_name;
    Diagnostics &m_diagnostics;
    const JobControl &m_control;
    std::set<std::string> m_tables;
    std::map<std::string, std::vector<Column>> m_columns;
    std::uint64_t m_expectedRows = 0, m_doneRows = 0;
};

} // namespace core
