#include "core/commands/query_command.h"

#include "core/commands/empty_table_text.h"
#include "core/commands/text.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <limits>
#include <ostream>
#include <string_view>

namespace core {

namespace {

    std::string csvField(const std::optional<std::string> &value)
    {
        if (!value)
            return "";
        if (value->find_first_of(",\"\r\n") == std::string::npos)
            return *value;
        std::string quoted = "\"";
        for (const char c : *value)
            quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
        return quoted + "\"";
    }

    void printCsv(const QueryResult &result, std::ostream &out)
    {
        for (std::size_t c = 0; c < result.columns.size(); ++c)
            out << (c ? "," : "") << csvField(result.columns[c]);
        out << "\n";
        for (const auto &row : result.rows) {
            for (std::size_t c = 0; c < row.size(); ++c)
                out << (c ? "," : "") << csvField(row[c]);
            out << "\n";
        }
    }

    nlohmann::ordered_json jsonValue(const std::optional<std::string> &text, bool isNumber)
    {
        if (!text)
            return nullptr;
        // Infinity is a number to SQLite and none to JSON.
        const auto number = isNumber ? nlohmann::ordered_json::parse(*text, nullptr, false)
                                     : nlohmann::ordered_json();
        return number.is_number() ? number : nlohmann::ordered_json(*text);
    }

    void printJson(const QueryResult &result, std::ostream &out)
    {
        nlohmann::ordered_json rows = nlohmann::ordered_json::array();
        for (std::size_t r = 0; r < result.rows.size(); ++r) {
            nlohmann::ordered_json object = nlohmann::ordered_json::object();
            for (std::size_t c = 0; c < result.rows[r].size(); ++c)
                object[result.columns[c]]
                    = jsonValue(result.rows[r][c], result.isNumber[r][c] != 0);
            rows.push_back(std::move(object));
        }
        out << rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
    }

    /// A cell has one line: what would end it, or steer the terminal, is written as in C. U+0080 to
    /// U+009F steer as well as ASCII's control characters do.
    std::string oneLine(const std::string &text)
    {
        constexpr std::string_view Digits = "0123456789abcdef";
        std::string line;
        unsigned char before = 0;
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            const bool isHighControl = before == 0xc2 && byte >= 0x80 && byte < 0xa0;
            before = byte;
            if (c == '\n')
                line += "\\n";
            else if (c == '\r')
                line += "\\r";
            else if (c == '\t')
                line += "\\t";
            else if (isHighControl)
                line.replace(line.size() - 1, 1,
                             std::string("\\u00") + Digits[byte >> 4U] + Digits[byte & 15U]);
            else if (byte < ' ' || byte == 0x7f)
                line += std::string("\\x") + Digits[byte >> 4U] + Digits[byte & 15U];
            else
                line += c;
        }
        return line;
    }

    void printText(const QueryResult &result, std::ostream &out)
    {
        TextTable table(result.columns);
        for (const auto &row : result.rows) {
            std::vector<std::string> cells;
            cells.reserve(row.size());
            for (const auto &value : row)
                cells.push_back(oneLine(value.value_or("NULL")));
            table.addRow(std::move(cells));
        }
        table.print(out);
        if (result.isTruncated)
            out << "... more rows; raise --max-rows or add a LIMIT\n";
    }

} // namespace

void QueryCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_option(
           "sql", m_sql,
           "One SELECT statement over slice, slice_total, step, rank_iteration, collective, "
           "transfer, clock, memory, dependency and the tables that "
           "PRAGMA table_list lists; PRAGMA "
           "table_info(NAME) the columns of one. Where a column is worker instead of "
           "rank, it is the id in table worker, which has the rank")
        ->required();
    app.add_option("--max-rows", m_maxRows, "Stop after so many rows; 0: all");
    app.add_flag("--csv", m_csv, "Print CSV (RFC 4180)");
    app.add_flag("--json", m_json, "Print a JSON array of objects");
}

int QueryCommand::run(const CommandIo &io)
{
    const ProjectReader reader(m_project);
    const std::size_t limit = m_maxRows ? m_maxRows : std::numeric_limits<std::size_t>::max();
    const QueryResult result = reader.query(m_sql, limit, io.control);
    if (m_csv)
        printCsv(result, io.out);
    else if (m_json)
        printJson(result, io.out);
    else
        printText(result, io.out);
    if (result.rows.empty())
        io.err << emptyTableText(reader, m_sql, io.control);
    return Done;
}

} // namespace core
