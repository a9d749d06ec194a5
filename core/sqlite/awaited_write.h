#pragma once

struct sqlite3;

namespace core {

/// Whether a connection, of this program or another, has begun to write the file: it cannot end
/// that while others read. Not in WAL mode, where it can.
bool isWriteAwaited(sqlite3 *reader);

} // namespace core
