#include "core/project/sql/query.h"

#include "core/project/sql/foreign_views.h"
#include "core/project/sql/query_advice.h"
#include "core/sqlite/awaited_write.h"
#include "core/sqlite/sqlite_api.h"

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

namespace core {

namespace {

    constexpr int ProgressSteps = 100000; // virtual machine steps between two looks at cancel
    constexpr auto LongestYield = std::chrono::seconds(5); ///< as long as a busy writer waits
    constexpr auto YieldStep = std::chrono::milliseconds(5);
    constexpr int MostRuns = 20; ///< writers that come again and again do not starve it

    /// What a query is bounded by, and why it was refused.
    struct Bounds
    {
        SqlNames foreign;
        std::string refusedView;
    };

    /// view: the one that makes SQLite act; may be null.
    bool isForeign(const SqlNames &foreign, int action, const char *read, const char *view)
    {
        return (view != nullptr && foreign.contains(view))
            || (action == SQLITE_READ && read != nullptr && foreign.contains(read));
    }

    /// What a query may do: read, call functions, recurse; and the pragmas that describe tables.
    /// Nothing by a view of a stranger.
    int authorize(void *context, int action, const char *first, const char *second, const char *,
                  const char *view)
    {
        auto &bounds = *static_cast<Bounds *>(context);
        if (isForeign(bounds.foreign, action, first, view)) {
            bounds.refusedView = view != nullptr ? view : first;
            return SQLITE_DENY;
        }
        constexpr std::array<std::string_view, 6> Pragmas
            = { "table_info", "table_xinfo", "table_list",
                "index_list", "index_info",  "user_version" };
        switch (action) {
        case SQLITE_SELECT:
        case SQLITE_READ:
        case SQLITE_RECURSIVE:
            return SQLITE_OK;
        case SQLITE_FUNCTION:
            return std::string_view(second ? second : "") == "load_extension" ? SQLITE_DENY
                                                                              : SQLITE_OK;
        case SQLITE_PRAGMA:
            for (const std::string_view name : Pragmas)
                if (name == first)
                    return SQLITE_OK;
            return SQLITE_DENY;
        default:
            return SQLITE_DENY;
        }
    }

    /// Reasons to stop, which a running statement looks at every few milliseconds.
    struct Interruption
    {
        const JobControl &control;
        sqlite3 *db = nullptr;
        bool mayYield = true;
        bool isForWriter = false; ///< why it was interrupted
    };

    int checkInterruption(void *context)
    {
        auto &interruption = *static_cast<Interruption *>(context);
        if (interruption.control.isCancelled())
            return 1;
        interruption.isForWriter = interruption.mayYield && isWriteAwaited(interruption.db);
        return interruption.isForWriter ? 1 : 0;
    }

    /// Sets the guards of a query for its lifetime.
    class QueryGuard
    {
    public:
        QueryGuard(sqlite3 *db, Bounds &bounds, Interruption &interruption, CollectiveTimes &times)
            : m_db(db)
            , m_times(times)
        {
            m_times.queryControl = &interruption.control;
            sqlite3_set_authorizer(m_db, authorize, &bounds);
            sqlite3_progress_handler(m_db, ProgressSteps, checkInterruption, &interruption);
        }
        ~QueryGuard()
        {
            sqlite3_set_authorizer(m_db, nullptr, nullptr);
            sqlite3_progress_handler(m_db, 0, nullptr, nullptr);
            m_times.queryControl = nullptr;
        }
        QueryGuard(const QueryGuard &) = delete;
        QueryGuard &operator=(const QueryGuard &) = delete;

    private:
        sqlite3 *m_db;
        CollectiveTimes &m_times;
    };

    struct Finalize
    {
        void operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
    };
    using StatementPointer = std::unique_ptr<sqlite3_stmt, Finalize>;

    [[noreturn]] void failQuery(Database &db, std::string_view sql, const JobControl &control)
    {
        throwIfCancelled(control);
        const std::string message = sqlite3_errmsg(db.handle());
        throw Error("the query failed: " + message + queryAdvice(db, message, sql));
    }

    StatementPointer prepare(Database &db, const char *sql, const char **rest, const Bounds &bounds,
                             const JobControl &control)
    {
        sqlite3_stmt *statement = nullptr;
        if (sqlite3_prepare_v2(db.handle(), sql, -1, &statement, rest) != SQLITE_OK) {
            if (!bounds.refusedView.empty())
                throw Error("the project's view '" + bounds.refusedView
                            + "' is not Longpole's and is not run, as it may do anything; import "
                              "the traces into a project of your own, or ask for tables "
                              "(PRAGMA table_list)");
            if (sqlite3_errcode(db.handle()) == SQLITE_AUTH)
                throw Error("only reading is allowed: a query is one SELECT");
            failQuery(db, sql, control);
        }
        return StatementPointer(statement);
    }

    /// Exactly one statement that writes nothing.
    StatementPointer prepareOne(Database &db, const std::string &sql, const Bounds &bounds,
                                const JobControl &control)
    {
        const char *rest = nullptr;
        StatementPointer statement = prepare(db, sql.c_str(), &rest, bounds, control);
        if (!statement)
            throw Error("the query is empty");
        while (*rest != '\0') { // comments and blanks prepare to nothing
            if (prepare(db, rest, &rest, bounds, control))
                throw Error("give one statement at a time");
        }
        if (!sqlite3_stmt_readonly(statement.get()))
            throw Error("only reading is allowed: a query is one SELECT");
        return statement;
    }

    std::string hexOf(const void *data, int size)
    {
        constexpr std::string_view Digits = "0123456789abcdef";
        std::string text = "x'";
        for (int i = 0; i < size; ++i) {
            const unsigned byte = static_cast<const unsigned char *>(data)[i];
            text += Digits[byte >> 4];
            text += Digits[byte & 15];
        }
        return text + "'";
    }

    std::optional<std::string> valueOf(sqlite3_stmt *row, int column)
    {
        switch (sqlite3_column_type(row, column)) {
        case SQLITE_NULL:
            return std::nullopt;
        case SQLITE_BLOB: {
            const void *data = sqlite3_column_blob(row, column);
            return hexOf(data, sqlite3_column_bytes(row, column));
        }
        default: {
            const auto *text = reinterpret_cast<const char *>(sqlite3_column_text(row, column));
            const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, column));
            return std::string(text ? text : "", size);
        }
        }
    }

    QueryRow rowOf(sqlite3_stmt *statement)
    {
        QueryRow row;
        const int columns = sqlite3_column_count(statement);
        row.isNumber.reserve(static_cast<std::size_t>(columns));
        row.values.reserve(static_cast<std::size_t>(columns));
        for (int column = 0; column < columns; ++column) {
            const int type = sqlite3_column_type(statement, column);
            row.isNumber.push_back(type == SQLITE_INTEGER || type == SQLITE_FLOAT);
            row.values.push_back(valueOf(statement, column));
        }
        return row;
    }

    void beginRows(sqlite3_stmt *statement, QuerySink &sink)
    {
        const int columns = sqlite3_column_count(statement);
        std::vector<std::string> names;
        names.reserve(static_cast<std::size_t>(columns));
        for (int column = 0; column < columns; ++column)
            names.emplace_back(sqlite3_column_name(statement, column));
        sink.begin(names);
    }

    /// False: the writer takes longer than it would wait for others.
    bool waitForWriter(Database &db, const JobControl &control)
    {
        const auto until = std::chrono::steady_clock::now() + LongestYield;
        while (isWriteAwaited(db.handle())) {
            throwIfCancelled(control);
            if (std::chrono::steady_clock::now() > until)
                return false;
            std::this_thread::sleep_for(YieldStep);
        }
        return true;
    }

    enum class Ending { AllRows, MoreRows, ForWriter, ForTimes, Failure };

    /// Gives way to writers before its first row only: a later run might begin with other rows.
    Ending runRows(sqlite3_stmt *statement, std::size_t maxRows, QuerySink &sink,
                   Interruption &interruption, CollectiveTimes &times)
    {
        times.mayPutOff = true;
        times.isAwaited = false;
        int code = SQLITE_DONE;
        for (std::size_t rows = 0; (code = sqlite3_step(statement)) == SQLITE_ROW; ++rows) {
            if (rows == maxRows)
                return Ending::MoreRows;
            throwIfCancelled(interruption.control); // a printed row costs more than a step
            interruption.mayYield = times.mayPutOff = false;
            sink.add(rowOf(statement));
        }
        if (code == SQLITE_INTERRUPT && interruption.isForWriter)
            return Ending::ForWriter;
        if (code == SQLITE_INTERRUPT && times.isAwaited)
            return Ending::ForTimes;
        return code == SQLITE_DONE ? Ending::AllRows : Ending::Failure;
    }

} // namespace

bool runQuery(const Queried &queried, const std::string &sql, std::size_t maxRows, QuerySink &sink,
              const JobControl &control)
{
    Database &db = queried.db;
    CollectiveTimes none({});
    CollectiveTimes &times = queried.times ? *queried.times : none;
    Bounds bounds { foreignViews(db), {} };
    Interruption interruption { control, db.handle() };
    const QueryGuard guard(db.handle(), bounds, interruption, times);
    StatementPointer statement = prepareOne(db, sql, bounds, control);
    beginRows(statement.get(), sink);
    Ending ending = runRows(statement.get(), maxRows, sink, interruption, times);
    // Whoever writes waits until nobody reads, and not for long: the statement gives way, then
    // runs anew. So it does while the times of collectives are computed.
    for (int runs = 1; ending == Ending::ForWriter || ending == Ending::ForTimes; ++runs) {
        statement.reset();
        interruption.isForWriter = false;
        interruption.mayYield = waitForWriter(db, control) && runs < MostRuns;
        if (ending == Ending::ForTimes)
            times.compute(control);
        statement = prepareOne(db, sql, bounds, control);
        ending = runRows(statement.get(), maxRows, sink, interruption, times);
    }
    if (ending == Ending::Failure)
        failQuery(db, sql, control);
    return ending == Ending::MoreRows;
}

} // namespace core
