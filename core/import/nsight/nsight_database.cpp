#include "core/import/nsight/nsight_database.h"

#include <algorithm>
#include <utility>

namespace core {

namespace {

    constexpr std::uint64_t RowsBetweenChecks = 8192;

    std::string quoted(std::string_view identifier)
    {
        std::string text = "\"";
        for (const char c : identifier)
            text.append(c == '"' ? 2 : 1, c);
        return text + '"';
    }

} // namespace

std::optional<std::uint64_t> NsightRow::natural(int column) const
{
    const std::optional<std::int64_t> value = number(column);
    if (!value || *value < 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

NsightDatabase::NsightDatabase(const std::filesystem::path &path, std::string name,
                               Diagnostics &diagnostics, const JobControl &control)
    : m_db(path, OpenMode::ReadForeign, name)
    , m_name(std::move(name))
    , m_diagnostics(diagnostics)
    , m_control(control)
{
    m_db.setCancelCheck([&control] { return control.isCancelled(); });
    // A virtual table would run code on what the file says.
    Statement list(m_db,
                   "SELECT name FROM sqlite_master WHERE type = 'table' "
                   "AND sql LIKE 'CREATE TABLE%' LIMIT 10000");
    while (list.step())
        m_tables.insert(list.text(0));
}

const std::vector<NsightDatabase::Column> &NsightDatabase::columnsOf(const std::string &table)
{
    const auto [known, isNew] = m_columns.try_emplace(table);
    if (isNew && has(table)) {
        Statement info(m_db, "SELECT name, type, pk FROM pragma_table_info(?)");
        info.bind(0, std::string_view(table));
        std::size_t keys = 0;
        while (info.step()) {
            keys += info.integer(2) != 0 ? 1 : 0;
            const bool isKey = info.integer(2) == 1 && info.textView(1) == "INTEGER";
            known->second.push_back({ info.text(0), isKey });
        }
        for (Column &column : known->second)
            column.isIntegerKey = column.isIntegerKey && keys == 1;
    }
    return known->second;
}

bool NsightDatabase::has(std::string_view table, std::string_view column)
{
    const auto &columns = columnsOf(std::string(table));
    return std::any_of(columns.begin(), columns.end(),
                       [column](const Column &known) { return known.name == column; });
}

bool NsightDatabase::isRowId(std::string_view table, std::string_view column)
{
    const auto &columns = columnsOf(std::string(table));
    return std::any_of(columns.begin(), columns.end(), [column](const Column &known) {
        return known.name == column && known.isIntegerKey;
    });
}

std::uint64_t NsightDatabase::estimatedRows(std::string_view table)
{
    if (!has(table))
        return 0;
    try {
        const std::int64_t last = m_db.integer("SELECT max(rowid) FROM " + quoted(table));
        return static_cast<std::uint64_t>(std::max<std::int64_t>(last, 0));
    } catch (const Error &) {
        return 0; // reading its rows will tell
    }
}

Statement NsightDatabase::select(std::string_view table,
                                 const std::vector<std::string_view> &columns,
                                 std::string_view rest)
{
    std::string sql = columns.empty() ? "SELECT 1" : "";
    for (const std::string_view column : columns)
        sql += (sql.empty() ? "SELECT " : ", ") + (has(table, column) ? quoted(column) : "NULL");
    sql += " FROM " + quoted(table);
    sql.append(1, ' ').append(rest);
    return { m_db, sql };
}

std::uint64_t NsightDatabase::forEachRow(std::string_view table,
                                         const std::vector<std::string_view> &columns,
                                         const Visit &visit)
{
    std::uint64_t rows = 0;
    if (!has(table))
        return rows;
    std::optional<Statement> statement;
    const auto next = [&] {
        try {
            if (!statement)
                statement.emplace(select(table, columns));
            return statement->step();
        } catch (const Error &error) {
            m_diagnostics.count("damaged-table", Severity::Error, { m_name, {} },
                                "Damaged tables are kept up to the damage; the first is "
                                    + std::string(table) + ", which cannot be read beyond row "
                                    + std::to_string(rows) + " (" + error.message()
                                    + "). Export the report again, or copy it again.");
            return false;
        }
    };
    while (next()) { // what the visitor throws is not the table's damage
        visit(NsightRow(*statement));
        if (++rows % RowsBetweenChecks == 0)
            reportProgress(table);
    }
    return rows;
}

std::optional<std::string_view> NsightDatabase::lookUp(Statement &statement, std::int64_t key)
{
    try {
        statement.reset();
        statement.bind(0, key);
        return statement.step() ? std::optional(statement.textView(0)) : std::nullopt;
    } catch (const Error &error) {
        m_diagnostics.count("damaged-texts", Severity::Error, { m_name, {} },
                            "Some texts (StringIds) cannot be read: " + error.message());
        return std::nullopt;
    }
}

void NsightDatabase::reportProgress(std::string_view table)
{
    throwIfCancelled(m_control);
    m_doneRows += RowsBetweenChecks;
    const double fraction = m_expectedRows == 0
        ? 0
        : static_cast<double>(m_doneRows) / static_cast<double>(m_expectedRows);
    m_control.report(std::min(fraction, 1.0), std::string("read ") + std::string(table));
}

} // namespace core
