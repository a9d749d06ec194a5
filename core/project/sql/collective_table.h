#pragma once

struct sqlite3;

namespace core {

class CollectiveTimes;

/// Makes `times` the read-only SQL table `collective_time` of this connection, and its columns a
/// part of the view `collective`. `times` lives as long as the connection. Returns an SQLite code.
int registerCollectiveTable(sqlite3 *db, CollectiveTimes *times);

} // namespace core
