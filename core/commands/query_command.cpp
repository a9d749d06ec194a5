#include "core/commands/query_command.h"

#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/commands/text/empty_table_text.h"
#include "core/commands/text/text.h"
#include "core/pipeline/collective_times.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>

namespace core {

namespace {

    nlohmann::ordered_json jsonValue(const std::optional<std::string> &text, bool isNumber)
    {
        if (!text)
            return nullptr;
        // Infinity is a number to SQLite and none to JSON.
        const auto number = isNumber ? nlohmann::ordered_json::parse(*text, nullptr, false)
                                     : nlohmann::ordered_json();
        return number.is_number() ? number : nlohmann::ordered_json(*text);
    }

    /// Prints rows as they come.
    class RowPrinter : public QuerySink
    {
    public:
        explicit RowPrinter(const CommandIo &io)
            : m_io(io)
        {
        }
        void add(QueryRow &&row) override
        {
            m_hasRows = true;
            print(row);
            if (!m_io.out)
                throw Error("cannot write the result; is the disk full?");
        }
        bool hasRows() const { return m_hasRows; }
        virtual void end(bool isTruncated) = 0; ///< once, after all rows

    protected:
        std::ostream &out() { return m_io.out; }
        std::ostream &err() { return m_io.err; }

    private:
        virtual void print(const QueryRow &row) = 0;

        const CommandIo &m_io; ///< lives as long as the command runs
        bool m_hasRows = false;
    };

    class CsvPrinter : public RowPrinter
    {
    public:
        using RowPrinter::RowPrinter;
        void begin(const std::vector<std::string> &columns) override
        {
            for (std::size_t c = 0; c < columns.size(); ++c)
                out() << (c ? "," : "") << csvField(columns[c], false);
            out() << "\n";
        }
        void end(bool) override { }

    private:
        void print(const QueryRow &row) override
        {
            for (std::size_t c = 0; c < row.values.size(); ++c)
                out() << (c ? "," : "")
                      << csvField(row.values[c].value_or(""), row.isNumber[c] != 0);
            out() << "\n";
        }
    };

    class JsonPrinter : public RowPrinter
    {
    public:
        using RowPrinter::RowPrinter;
        /// An object has no two keys of one name.
        void begin(const std::vector<std::string> &columns) override
        {
            std::set<std::string> taken(columns.begin(), columns.end());
            std::set<std::string> used;
            for (const std::string &column : columns) {
                std::string key = column;
                for (int number = 2; !used.insert(key).second; ++number) {
                    const std::string numbered = column + "_" + std::to_string(number);
                    if (taken.insert(numbered).second)
                        key = numbered;
                }
                if (key != column)
                    err() << "warning: two columns are called " << oneLine(column)
                          << "; the later one is " << oneLine(key)
                          << " in the JSON. Name it with AS.\n";
                m_keys.push_back(key);
            }
            out() << "[";
        }
        void end(bool) override { out() << (hasRows() ? "\n]\n" : "]\n"); }

    private:
        void print(const QueryRow &row) override
        {
            constexpr auto Replace = nlohmann::ordered_json::error_handler_t::replace;
            out() << (m_isFirst ? "\n  {" : ",\n  {");
            m_isFirst = false;
            for (std::size_t c = 0; c < row.values.size(); ++c)
                out()
                    << (c ? ",\n    " : "\n    ")
                    << nlohmann::ordered_json(m_keys[c]).dump(-1, ' ', false, Replace) << ": "
                    << jsonValue(row.values[c], row.isNumber[c] != 0).dump(-1, ' ', false, Replace);
            out() << "\n  }";
        }

        std::vector<std::string> m_keys; ///< by column
        bool m_isFirst = true;
    };

    constexpr std::size_t MostTableRows = 10'000; ///< unless --max-rows says how many
    constexpr std::size_t WidestText = 80; ///< characters of a value in a table

    /// Where the character after so many characters begins in UTF-8; the end where there is none.
    std::size_t placeAfter(std::string_view text, std::size_t characters)
    {
        for (std::size_t at = 0; at < text.size(); ++at)
            if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U && characters-- == 0)
                return at;
        return text.size();
    }

    bool isTooWide(std::string_view text)
    {
        return placeAfter(text, WidestText) < text.size();
    }

    std::string cutText(std::string text)
    {
        if (!isTooWide(text))
            return text;
        constexpr std::string_view Dots = "...";
        text.resize(placeAfter(text, WidestText - Dots.size()));
        return text.append(Dots);
    }

    /// Holds as many rows as tell how wide the columns are.
    class TextPrinter : public RowPrinter
    {
    public:
        using RowPrinter::RowPrinter;
        void begin(const std::vector<std::string> &columns) override { m_table.emplace(columns); }
        void end(bool isTruncated) override
        {
            m_table->printSoFar(out());
            if (isTruncated)
                out() << "... more rows; --max-rows 0 prints all, as do --csv and --json\n";
            if (m_isCut)
                err() << "note: texts over " << WidestText
                      << " characters are cut; --csv and --json print them whole\n";
        }

    private:
        void print(const QueryRow &row) override
        {
            constexpr std::size_t HeldRows = 1000;
            std::vector<std::string> cells;
            cells.reserve(row.values.size());
            for (const auto &value : row.values) {
                cells.push_back(cutText(value.value_or("NULL")));
                m_isCut = m_isCut || (value && isTooWide(*value));
            }
            m_table->addRow(std::move(cells));
            if (++m_held == HeldRows) {
                m_table->printSoFar(out());
                m_held = 0;
            }
        }

        std::optional<TextTable> m_table;
        std::size_t m_held = 0;
        bool m_isCut = false;
    };

    std::unique_ptr<RowPrinter> printerFor(bool isCsv, bool isJson, const CommandIo &io)
    {
        if (isCsv)
            return std::make_unique<CsvPrinter>(io);
        if (isJson)
            return std::make_unique<JsonPrinter>(io);
        return std::make_unique<TextPrinter>(io);
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
           "rank, it is the id in table worker, which has the rank. The ten longest waits: "
           "\"SELECT rank, name, wait_ns, transfer_ns, last_rank FROM collective ORDER BY wait_ns "
           "DESC LIMIT 10\"")
        ->required();
    app.add_option("--max-rows", m_maxRows,
                   "Stop after so many rows; 0: all. Without it a table has 10,000, CSV and JSON "
                   "have all");
    app.add_flag("--csv", m_csv, "Print CSV (RFC 4180)");
    app.add_flag("--json", m_json, "Print a JSON array of objects");
}

int QueryCommand::run(const CommandIo &io)
{
    ProjectReader reader(m_project);
    reader.offerCollectiveTimes(collectiveTimesOf(m_project));
    const std::size_t wanted = m_maxRows.value_or(m_csv || m_json ? 0 : MostTableRows);
    const std::size_t limit = wanted ? wanted : std::numeric_limits<std::size_t>::max();
    const auto printer = printerFor(m_csv, m_json, io);
    printer->end(reader.query(m_sql, limit, *printer, io.control));
    if (!printer->hasRows())
        io.err << emptyTableText(reader, m_sql, io.control);
    return Done;
}

} // namespace core
