#pragma once

#include "core/base/error.h"
#include "core/base/job_control.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace core {

using ByteSpan = std::span<const std::uint8_t>;
using ByteBuffer = std::vector<std::uint8_t>;

/// ReadForeign: another program's file, taken as it is (immutable): nothing is created beside it,
/// locked or written, and what is left of a file that was cut off can be read.
enum class OpenMode { Read, ReadWrite, Create, ReadForeign };

/// Bytes of a text, a blob or a row, of every database: a text of 64 MiB, the longest that an
/// importer takes, and its row.
constexpr int LargestValue = 64 * 1024 * 1024 + 64 * 1024;

/// A connection to SQLite. Every failure throws Error naming the file.
class Database
{
public:
    /// Opens the file; SQLite runs defensively (DBCONFIG_DEFENSIVE where it can be written, no
    /// trusted schema, no extensions, no value above LargestValue). `shownAs` is what errors call
    /// it, where that is not its path.
    Database(const std::filesystem::path &path, OpenMode mode, const std::string &shownAs = {});
    /// Borrows the connection of a program that loaded Longpole as an extension; does not close it.
    Database(sqlite3 *borrowed, std::string schemaName);
    ~Database();
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;

    sqlite3 *handle() const { return m_handle; }
    const std::string &fileName() const { return m_fileName; }
    /// The file's first bytes, whatever it is; fewer where it is shorter or cannot be read. Read
    /// through SQLite: when a process closes a file that it opened itself, POSIX drops the locks of
    /// all connections that it has to it.
    std::string head(std::size_t mostBytes) const;
    /// Runs one or more statements without results.
    void execute(const std::string &sql);
    /// The same for what may fail without harm; returns whether it succeeded.
    bool tryExecute(const std::string &sql);
    std::int64_t integer(std::string_view sql);
    std::uint64_t fileBytes(); ///< of what is committed, also if it is in the log still
    /// Asked every few thousand steps of a statement; true ends it with Cancelled.
    void setCancelCheck(std::function<bool()> isCancelled);
    /// Writes all that is committed to a new database file, which must not exist. Throws Cancelled.
    void copyTo(const std::filesystem::path &path, const JobControl &control = {});
    /// Throws the connection's last error; `what` says what was being done.
    [[noreturn]] void fail(std::string_view what) const;
    [[noreturn]] void failDamaged(std::string_view what) const;

private:
    sqlite3 *m_handle = nullptr;
    std::string m_fileName;
    std::function<bool()> m_isCancelled;
    bool m_isBorrowed = false;
    bool m_isForeign = false;
};

/// A prepared statement. Columns and parameters count from 0.
class Statement
{
public:
    Statement(Database &db, std::string_view sql);
    ~Statement();
    Statement(Statement &&other) noexcept;
    Statement(const Statement &) = delete;
    Statement &operator=(const Statement &) = delete;

    void bind(int index, std::int64_t value);
    void bind(int index, std::uint64_t value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, int value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, double value);
    /// Text and bytes are not copied: they must live until the statement has run.
    void bind(int index, std::string_view text);
    void bind(int index, ByteSpan bytes);
    void bind(int index, std::nullopt_t);
    template <class T>
    void bind(int index, const std::optional<T> &value)
    {
        if (!value)
            bind(index, std::nullopt);
        else if constexpr (std::is_floating_point_v<T>)
            bind(index, double(*value));
        else
            bind(index, static_cast<std::int64_t>(*value));
    }
    template <class... Values>
    Statement &bindAll(const Values &...values)
    {
        reset();
        int index = 0;
        (bind(index++, values), ...);
        return *this;
    }

    /// True while there is a row.
    bool step();
    void run(); ///< steps to the end and resets
    void reset();

    bool isNull(int column) const;
    bool isInteger(int column) const; ///< stored as an integer, so that nothing is converted
    std::int64_t integer(int column) const;
    std::uint64_t natural(int column) const { return static_cast<std::uint64_t>(integer(column)); }
    double real(int column) const;
    std::string text(int column) const;
    std::string_view textView(int column) const; ///< valid until the next step
    ByteSpan bytes(int column) const; ///< valid until the next step
    template <class T>
    std::optional<T> optional(int column) const
    {
        if (isNull(column))
            return std::nullopt;
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(real(column));
        else
            return static_cast<T>(integer(column));
    }

private:
    Database *m_db = nullptr;
    sqlite3_stmt *m_statement = nullptr;
};

/// Rolls back unless committed.
class Transaction
{
public:
    explicit Transaction(Database &db);
    ~Transaction();
    Transaction(const Transaction &) = delete;
    Transaction &operator=(const Transaction &) = delete;
    void commit();

private:
    Database &m_db;
    bool m_isOpen = true;
};

} // namespace core
