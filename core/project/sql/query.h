#pragma once

#include "core/project/read/project_reader.h"
#include "core/sqlite/database.h"

namespace core {

/// See ProjectReader::query().
bool runQuery(Database &db, const std::string &sql, std::size_t maxRows, QuerySink &sink,
              const JobControl &control);

} // namespace core
