#include "core/sqlite/database.h"

#include "core/base/job_control.h"
#include "core/sqlite/companion_files.h"
#include "core/sqlite/sqlite_api.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace core {

namespace {

    constexpr int PagesBetweenCancelChecks = 1024;
    constexpr int StepsBetweenCancelChecks = 10'000;

    int openFlags(OpenMode mode)
    {
        switch (mode) {
        case OpenMode::Read:
            return SQLITE_OPEN_READONLY;
        case OpenMode::ReadForeign:
            return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
        case OpenMode::ReadWrite:
            return SQLITE_OPEN_READWRITE;
        case OpenMode::Create:
            break;
        }
        return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    }

    /// The file as a URI that tells SQLite to take it as it is.
    std::string immutableUri(const std::filesystem::path &path)
    {
        constexpr std::string_view Digits = "0123456789ABCDEF";
        std::string uri = "file:";
        for (const char c : std::filesystem::absolute(path).string()) {
            if (c != '%' && c != '?' && c != '#') {
                uri += c;
                continue;
            }
            const auto byte = static_cast<unsigned char>(c);
            uri.append({ '%', Digits[byte >> 4U], Digits[byte & 15U] });
        }
        return uri + "?immutable=1";
    }

    std::string foreignAdviceFor(int code)
    {
        switch (code & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return ". The file is damaged or was cut off; export or copy it again.";
        case SQLITE_TOOBIG:
            return ". A value is larger than " + std::to_string(LargestValue / (1024 * 1024))
                + " MiB.";
        default:
            return "";
        }
    }

    std::string adviceFor(int code)
    {
        switch (code & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return ". The project file is damaged; import the bundle again.";
        case SQLITE_TOOBIG:
            return ". A value is larger than " + std::to_string(LargestValue / (1024 * 1024))
                + " MiB.";
        case SQLITE_FULL:
            return ". Free some space on the disk, or write the project to another one.";
        case SQLITE_IOERR:
            return ". The disk may be full or faulty; free some space, or write the project to "
                   "another disk.";
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return ". Check that the folder exists and that you may write to it.";
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return ". Another program is writing this project; wait for it or close it.";
        default:
            return "";
        }
    }

    void makeDefensive(sqlite3 *db)
    {
        // SQLite's advice for files from strangers, https://www.sqlite.org/security.html.
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
        sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
        sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LargestValue);
        sqlite3_exec(db, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
        sqlite3_extended_result_codes(db, 1);
        sqlite3_busy_timeout(db, 5000);
    }

} // namespace

Database::Database(const std::filesystem::path &path, OpenMode mode, const std::string &shownAs)
    : m_fileName(shownAs.empty() ? path.string() : shownAs)
    , m_isForeign(mode == OpenMode::ReadForeign)
{
    if (!m_isForeign) // which SQLite takes alone, as it is
        checkCompanionFiles(path);
    const std::string location = m_isForeign ? immutableUri(path) : path.string();
    if (sqlite3_open_v2(location.c_str(), &m_handle, openFlags(mode), nullptr) != SQLITE_OK) {
        const std::string reason = m_handle ? sqlite3_errmsg(m_handle) : "out of memory";
        const int code = m_handle ? sqlite3_errcode(m_handle) : SQLITE_NOMEM;
        sqlite3_close(m_handle);
        const std::string what = m_isForeign ? "cannot open the database: " + reason
                                             : "cannot open the project file: " + reason;
        throw Error(what + (m_isForeign ? foreignAdviceFor(code) : adviceFor(code)),
                    { m_fileName, {} });
    }
    makeDefensive(m_handle);
    if (m_isForeign) {
        // Of a file that was cut off, the pages that are there can be read in this mode only.
        // Nothing can be written: the file is immutable.
        sqlite3_db_config(m_handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
        sqlite3_db_config(m_handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
    }
}

Database::Database(sqlite3 *borrowed, std::string schemaName)
    : m_handle(borrowed)
    , m_fileName(std::move(schemaName))
    , m_isBorrowed(true)
{
}

Database::~Database()
{
    if (!m_isBorrowed)
        sqlite3_close(m_handle);
}

std::string Database::head(std::size_t mostBytes) const
{
    sqlite3_file *file = nullptr;
    sqlite3_int64 fileSize = 0;
    if (sqlite3_file_control(m_handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK
        || file == nullptr || file->pMethods == nullptr
        || file->pMethods->xFileSize(file, &fileSize) != SQLITE_OK)
        return {};
    std::string bytes(std::min(mostBytes, static_cast<std::size_t>(fileSize)), '\0');
    const int code = file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0);
    return code == SQLITE_OK ? bytes : std::string();
}

void Database::execute(const std::string &sql)
{
    if (!tryExecute(sql))
        fail("cannot write");
}

bool Database::tryExecute(const std::string &sql)
{
    return sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::int64_t Database::integer(std::string_view sql)
{
    Statement statement(*this, sql);
    return statement.step() ? statement.integer(0) : 0;
}

std::uint64_t Database::fileBytes()
{
    return static_cast<std::uint64_t>(integer("PRAGMA page_count"))
        * static_cast<std::uint64_t>(integer("PRAGMA page_size"));
}

void Database::setCancelCheck(std::function<bool()> isCancelled)
{
    m_isCancelled = std::move(isCancelled);
    sqlite3_progress_handler(
        m_handle, m_isCancelled ? StepsBetweenCancelChecks : 0,
        [](void *check) { return (*static_cast<std::function<bool()> *>(check))() ? 1 : 0; },
        &m_isCancelled);
}

void Database::copyTo(const std::filesystem::path &path, const JobControl &control)
{
    Database copy(path, OpenMode::Create);
    // The name is a macro where this is built into an extension.
    struct Finish
    {
        void operator()(sqlite3_backup *backup) const { sqlite3_backup_finish(backup); }
    };
    const std::unique_ptr<sqlite3_backup, Finish> backup(
        sqlite3_backup_init(copy.m_handle, "main", m_handle, "main"));
    if (backup == nullptr)
        copy.fail("cannot copy");
    int code = SQLITE_OK;
    while (code == SQLITE_OK) {
        throwIfCancelled(control);
        code = sqlite3_backup_step(backup.get(), PagesBetweenCancelChecks);
        const double pages = std::max(1, sqlite3_backup_pagecount(backup.get()));
        control.report(1 - sqlite3_backup_remaining(backup.get()) / pages, "copy");
    }
    if (code != SQLITE_DONE)
        copy.fail("cannot copy");
}

void Database::fail(std::string_view what) const
{
    const int code = sqlite3_extended_errcode(m_handle);
    if (code == SQLITE_INTERRUPT && m_isCancelled)
        throw Cancelled {};
    throw Error(std::string(what) + ": " + sqlite3_errmsg(m_handle)
                    + (m_isForeign ? foreignAdviceFor(code) : adviceFor(code)),
                { m_fileName, {} });
}

void Database::failDamaged(std::string_view what) const
{
    throw Error("the project file is damaged (" + std::string(what) + "); import the bundle again",
                { m_fileName, {} });
}

Statement::Statement(Database &db, std::string_view sql)
    : m_db(&db)
{
    if (sqlite3_prepare_v2(db.handle(), sql.data(), static_cast<int>(sql.size()), &m_statement,
                           nullptr)
        != SQLITE_OK)
        db.fail("cannot read");
}

Statement::~Statement()
{
    sqlite3_finalize(m_statement);
}

Statement::Statement(Statement &&other) noexcept
    : m_db(other.m_db)
    , m_statement(std::exchange(other.m_statement, nullptr))
{
}

void Statement::bind(int index, std::int64_t value)
{
    sqlite3_bind_int64(m_statement, index + 1, value);
}

void Statement::bind(int index, double value)
{
    sqlite3_bind_double(m_statement, index + 1, value);
}

void Statement::bind(int index, std::string_view text)
{
    const char *data = text.data() ? text.data() : ""; // a null pointer would bind NULL
    sqlite3_bind_text64(m_statement, index + 1, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind(int index, ByteSpan bytes)
{
    const void *data = bytes.data() ? static_cast<const void *>(bytes.data()) : "";
    sqlite3_bind_blob64(m_statement, index + 1, data, bytes.size(), SQLITE_STATIC);
}

void Statement::bind(int index, std::nullopt_t)
{
    sqlite3_bind_null(m_statement, index + 1);
}

bool Statement::step()
{
    const int code = sqlite3_step(m_statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        m_db->fail(sqlite3_stmt_readonly(m_statement) ? "cannot read" : "cannot write");
    return code == SQLITE_ROW;
}

void Statement::run()
{
    while (step()) { }
    reset();
}

void Statement::reset()
{
    sqlite3_reset(m_statement);
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

bool Statement::isInteger(int column) const
{
    return sqlite3_column_type(m_statement, column) == SQLITE_INTEGER;
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement, column);
}

double Statement::real(int column) const
{
    return sqlite3_column_double(m_statement, column);
}

std::string Statement::text(int column) const
{
    return std::string(textView(column));
}

std::string_view Statement::textView(int column) const
{
    const auto *data = sqlite3_column_text(m_statement, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column));
    return data ? std::string_view(reinterpret_cast<const char *>(data), size) : std::string_view();
}

ByteSpan Statement::bytes(int column) const
{
    const auto *data = static_cast<const std::uint8_t *>(sqlite3_column_blob(m_statement, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column));
    return { data, data ? size : 0 };
}

Transaction::Transaction(Database &db)
    : m_db(db)
{
    db.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction()
{
    if (m_isOpen && !sqlite3_get_autocommit(m_db.handle()))
        sqlite3_exec(m_db.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit()
{
    m_db.execute("COMMIT");
    m_isOpen = false;
}

} // namespace core
