#pragma once

struct sqlite3;

namespace core {

class SliceStore;

/// Makes memory events and dependencies read-only SQL tables `memory` and `dependency` of this
/// connection; columns, `store` and result as of registerSliceTable().
int registerRecordTables(sqlite3 *db, SliceStore *store);

} // namespace core
