#pragma once

#include "core/project/read/project_reader.h"
#include "core/project/sql/collective_times.h"
#include "core/sqlite/database.h"

namespace core {

/// The tables that a query reads.
struct Queried
{
    Database &db;
    CollectiveTimes *times; ///< null: the project's own tables only
};

/// See ProjectReader::query().
bool runQuery(const Queried &queried, const std::string &sql, std::size_t maxRows, QuerySink &sink,
              const JobControl &control);

} // namespace core
