#include "core/project/sql/record_sql.h"

#include "core/project/codec/checked_values.h"
#include "core/project/codec/compression.h"
#include "core/project/codec/record_chunks.h"
#include "core/project/project_limits.h"
#include "core/project/read/file_clocks.h"
#include "core/project/sql/virtual_table.h"

#include <optional>
#include <string>

namespace core {

namespace {

    std::string_view kindName(DependencyKind kind)
    {
        switch (kind) {
        case DependencyKind::Data:
            return "data";
        case DependencyKind::Control:
            return "control";
        case DependencyKind::Sync:
            break;
        }
        return "sync";
    }

    struct ChunkOfRecords
    {
        ByteSpan raw; ///< uncompressed
        std::size_t rows = 0;
        WorkerId worker;
        FileId file; ///< 0: not known
    };

    /// How chunks of memory events are rows of SQL.
    struct MemoryRows
    {
        using Record = MemoryEvent;
        static constexpr const char *Name = "memory";
        static constexpr const char *Declaration
            = "CREATE TABLE memory (rank INTEGER, time_ns INTEGER, raw_time_ns INTEGER, device "
              "INTEGER, address INTEGER, delta_bytes INTEGER, allocated_bytes INTEGER, "
              "reserved_bytes INTEGER)";
        static constexpr const char *Chunks
            = "SELECT worker, row_count, raw_bytes, data, coalesce(source_file, 0) "
              "FROM memory_chunk "
              "WHERE ?1 IS NULL OR worker IN (SELECT id FROM worker WHERE rank = ?1) "
              "ORDER BY worker, raw_min_ns, id";
        static std::vector<Record> decode(SliceStore &store, const ChunkOfRecords &chunk)
        {
            std::vector<Record> events = decodeMemory(chunk.raw, chunk.rows);
            const FileClock &clock = clockOf(store.tables().fileClocks, chunk.worker, chunk.file);
            for (MemoryEvent &event : events)
                event.timeNs = rankTime(store.database(), clock, event.timeNs);
            return events;
        }
        static void setColumn(sqlite3_context *result, SliceStore &store, WorkerId worker,
                              const Record &event, int column)
        {
            switch (column) {
            case 0:
                return sqlite3_result_int(result, store.tables().workers[worker.value].rank);
            case 1:
                return sqlite3_result_int64(result, store.tables().toAligned(worker, event.timeNs));
            case 2:
                return sqlite3_result_int64(result, event.timeNs);
            case 3:
                if (event.device)
                    sqlite3_result_int(result, *event.device);
                return;
            case 4:
                return sqlite3_result_int64(result, static_cast<std::int64_t>(event.address));
            case 5:
                return sqlite3_result_int64(result, event.deltaBytes);
            case 6:
                return setLink(result, event.allocatedBytes);
            default:
                return setLink(result, event.reservedBytes);
            }
        }
    };

    /// How chunks of dependencies are rows of SQL.
    struct DependencyRows
    {
        using Record = DependencyEdge;
        static constexpr const char *Name = "dependency";
        static constexpr const char *Declaration
            = "CREATE TABLE dependency (rank INTEGER, kind TEXT, from_node INTEGER, to_node "
              "INTEGER, from_name TEXT, to_name TEXT)";
        static constexpr const char *Chunks
            = "SELECT worker, row_count, raw_bytes, data, 0 FROM dependency_chunk "
              "WHERE ?1 IS NULL OR worker IN (SELECT id FROM worker WHERE rank = ?1) "
              "ORDER BY worker, id";

        static std::vector<Record> decode(SliceStore &store, const ChunkOfRecords &chunk)
        {
            return decodeDependencies(chunk.raw, chunk.rows, store.names().size());
        }
        static void setColumn(sqlite3_context *result, SliceStore &store, WorkerId worker,
                              const Record &edge, int column)
        {
            const bool isByName = edge.key == DependencyKey::Name;
            const std::uint64_t end = column % 2 == 0 ? edge.from : edge.to;
            if (column == 0)
                sqlite3_result_int(result, store.tables().workers[worker.value].rank);
            else if (column == 1)
                setText(result, kindName(edge.kind));
            else if (column < 4 && !isByName)
                sqlite3_result_int64(result, static_cast<std::int64_t>(end));
            else if (column >= 4 && isByName)
                setText(result, store.names()[end]);
        }
    };

    /// Visits the records of the chunks, one chunk in memory.
    template <class Rows>
    class RecordCursor : public sqlite3_vtab_cursor
    {
    public:
        void start(SliceStore &store, std::optional<std::int64_t> rank)
        {
            m_store = &store;
            m_select.emplace(store.database(), Rows::Chunks);
            m_select->bindAll(rank);
            m_rowId = 0;
            readChunk();
        }
        void next()
        {
            ++m_rowId;
            if (++m_row == m_records.size())
                readChunk();
        }
        bool isAtEnd() const { return m_records.empty(); }
        std::int64_t rowId() const { return m_rowId; }
        void setColumn(sqlite3_context *result, int column) const
        {
            Rows::setColumn(result, *m_store, m_worker, m_records[m_row], column);
        }

    private:
        void readChunk()
        {
            m_row = 0;
            m_records.clear();
            Database &db = m_store->database();
            while (m_records.empty() && m_select->step()) {
                m_worker = checkedId<WorkerId>(db, *m_select, 0, m_store->tables().workers.size());
                const auto rows = static_cast<std::size_t>(m_select->natural(1));
                if (rows > RecordChunkRows)
                    db.failDamaged("a chunk of records is too large");
                const auto file = checkedId<FileId>(db, *m_select, 4, MostFileIds);
                const ByteBuffer raw = decompress(m_select->bytes(3), m_select->natural(2));
                m_records = Rows::decode(*m_store, { raw, rows, m_worker, file });
            }
        }

        SliceStore *m_store = nullptr;
        std::optional<Statement> m_select;
        WorkerId m_worker;
        std::vector<typename Rows::Record> m_records; ///< of the chunk; empty at the end
        std::size_t m_row = 0;
        std::int64_t m_rowId = 0;
    };

    template <class Rows>
    struct Callbacks
    {
        using Cursor = RecordCursor<Rows>;
        static Cursor &of(sqlite3_vtab_cursor *cursor) { return *static_cast<Cursor *>(cursor); }

        static int connect(sqlite3 *db, void *store, int, const char *const *, sqlite3_vtab **table,
                           char **)
        {
            return connectTable(db, store, Rows::Declaration, table);
        }
        static int open(sqlite3_vtab *, sqlite3_vtab_cursor **cursor)
        {
            *cursor = new (std::nothrow) Cursor; // SQLite owns it until close()
            return *cursor ? SQLITE_OK : SQLITE_NOMEM;
        }
        static int close(sqlite3_vtab_cursor *cursor)
        {
            delete &of(cursor);
            return SQLITE_OK;
        }
        /// The only use of a condition: the chunks of one rank. idxNum 1 says that there is one.
        static int plan(sqlite3_vtab *, sqlite3_index_info *info)
        {
            info->idxNum = 0;
            info->estimatedCost = 1e6;
            for (int i = 0; i < info->nConstraint && info->idxNum == 0; ++i) {
                const auto &constraint = info->aConstraint[i];
                if (!constraint.usable || constraint.iColumn != 0
                    || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ)
                    continue;
                info->aConstraintUsage[i].argvIndex = 1;
                info->idxNum = 1;
                info->estimatedCost = 1e5;
            }
            return SQLITE_OK;
        }
        static int filter(sqlite3_vtab_cursor *cursor, int hasRank, const char *, int,
                          sqlite3_value **values)
        {
            return guarded(cursor->pVtab, [&] {
                std::optional<std::int64_t> rank;
                if (hasRank && sqlite3_value_type(values[0]) == SQLITE_INTEGER)
                    rank = sqlite3_value_int64(values[0]);
                of(cursor).start(static_cast<ProjectTable *>(cursor->pVtab)->openStore(), rank);
            });
        }
        static int next(sqlite3_vtab_cursor *cursor)
        {
            return guarded(cursor->pVtab, [cursor] { of(cursor).next(); });
        }
        static int isAtEnd(sqlite3_vtab_cursor *cursor) { return of(cursor).isAtEnd() ? 1 : 0; }
        static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *result, int column)
        {
            return guarded(cursor->pVtab, [&] { of(cursor).setColumn(result, column); });
        }
        static int rowId(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
        {
            *id = of(cursor).rowId();
            return SQLITE_OK;
        }

        /// Without xCreate the table exists in every connection under the module's name.
        static int registerModule(sqlite3 *db, SliceStore *store)
        {
            static const sqlite3_module module = [] {
                sqlite3_module m = {};
                m.xConnect = connect;
                m.xBestIndex = plan;
                m.xDisconnect = disconnectTable;
                m.xOpen = open;
                m.xClose = close;
                m.xFilter = filter;
                m.xNext = next;
                m.xEof = isAtEnd;
                m.xColumn = column;
                m.xRowid = rowId;
                return m;
            }();
            return sqlite3_create_module_v2(db, Rows::Name, &module, store, nullptr);
        }
    };

} // namespace

int registerRecordTables(sqlite3 *db, SliceStore *store)
{
    const int code = Callbacks<MemoryRows>::registerModule(db, store);
    return code == SQLITE_OK ? Callbacks<DependencyRows>::registerModule(db, store) : code;
}

} // namespace core
