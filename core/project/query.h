#pragma once

#include "core/project/database.h"
#include "core/project/project_reader.h"

namespace core {

/// See ProjectReader::query().
QueryResult runQuery(Database &db, const std::string &sql, std::size_t maxRows,
                     const JobControl &control);

} // namespace core
