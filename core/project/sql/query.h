#pragma once

#include "core/project/read/project_reader.h"
#include "core/sqlite/database.h"

namespace core {

/// See ProjectReader::query().
QueryResult runQuery(Database &db, const std::string &sql, std::size_t maxRows,
                     const JobControl &control);

} // namespace core
