#include "core/sqlite/awaited_write.h"

#include "core/sqlite/sqlite_api.h"

namespace core {

bool isWriteAwaited(sqlite3 *reader)
{
    sqlite3_file *file = nullptr;
    if (sqlite3_file_control(reader, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK
        || file == nullptr || file->pMethods == nullptr)
        return false;
    int isReserved = 0;
    return file->pMethods->xCheckReservedLock(file, &isReserved) == SQLITE_OK && isReserved != 0;
}

} // namespace core
