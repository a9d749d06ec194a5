#include "core/sqlite/blob_reader.h"

#include "core/sqlite/sqlite_api.h"

#include <utility>

namespace core {

BlobReader::BlobReader(Database &db, std::string table, std::string column)
    : m_db(db)
    , m_table(std::move(table))
    , m_column(std::move(column))
{
}

BlobReader::~BlobReader()
{
    sqlite3_blob_close(m_blob);
}

std::size_t BlobReader::open(std::int64_t row)
{
    // A handle that failed, or whose row was changed, cannot be moved.
    if (m_blob && sqlite3_blob_reopen(m_blob, row) == SQLITE_OK)
        return static_cast<std::size_t>(sqlite3_blob_bytes(m_blob));
    sqlite3_blob_close(std::exchange(m_blob, nullptr));
    if (sqlite3_blob_open(m_db.handle(), "main", m_table.c_str(), m_column.c_str(), row, 0, &m_blob)
        != SQLITE_OK)
        m_db.fail("cannot read");
    return static_cast<std::size_t>(sqlite3_blob_bytes(m_blob));
}

void BlobReader::read(std::size_t offset, std::span<std::uint8_t> bytes)
{
    if (sqlite3_blob_read(m_blob, bytes.data(), static_cast<int>(bytes.size()),
                          static_cast<int>(offset))
        != SQLITE_OK)
        m_db.fail("cannot read");
}

} // namespace core
