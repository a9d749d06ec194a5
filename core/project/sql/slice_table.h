#pragma once

struct sqlite3;

namespace core {

class SliceStore;

/// Makes the slices of a project a read-only SQL table `slice` of this connection; columns as in
/// schema.sql. `store` lives as long as the connection; null: the table opens one itself, for the
/// database of the connection, when it is first read. Returns an SQLite result code.
int registerSliceTable(sqlite3 *db, SliceStore *store);

} // namespace core
