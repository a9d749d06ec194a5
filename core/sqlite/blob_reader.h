#pragma once

#include "core/sqlite/database.h"

#include <string>

struct sqlite3_blob;

namespace core {

/// Reads parts of the BLOBs of one column, without the copy of the whole that a statement makes.
/// Every failure throws Error naming the file.
class BlobReader
{
public:
    /// Of the main database; rows are found by rowid.
    BlobReader(Database &db, std::string table, std::string column);
    ~BlobReader();
    BlobReader(const BlobReader &) = delete;
    BlobReader &operator=(const BlobReader &) = delete;

    /// Goes to a row; returns the BLOB's size in bytes.
    std::size_t open(std::int64_t row);
    /// Bytes of the row that was opened last.
    void read(std::size_t offset, std::span<std::uint8_t> bytes);

private:
    Database &m_db;
    std::string m_table, m_column;
    sqlite3_blob *m_blob = nullptr;
};

} // namespace core
