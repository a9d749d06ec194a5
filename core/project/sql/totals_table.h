#pragma once

struct sqlite3;

namespace core {

class SliceStore;

/// Makes the totals of slices the read-only SQL table `slice_total` of this connection; columns,
/// `store` and result as of registerSliceTable().
int registerTotalsTable(sqlite3 *db, SliceStore *store);

} // namespace core
