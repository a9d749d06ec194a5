#pragma once

#include "core/sqlite/database.h"

namespace core {

/// PRAGMA application_id of every project.
constexpr std::int64_t ProjectApplicationId = 1282297964; // 'LnPl'
/// PRAGMA user_version of the projects that this program writes and reads. See migrations().
constexpr int ProjectVersion = 1;

/// Text of schema.sql.
extern const char *const SchemaSql;

/// Creates the tables of a new project.
void createSchema(Database &db);
/// Version of a project, from its header.
/// Throws Error, saying what the file is, if it is no project.
int projectVersion(Database &db);
/// Checks that a file is a project of ProjectVersion with all its tables. Changes nothing.
/// Throws Error, naming the file and what to do, if it is not.
void checkIsProject(Database &db);

} // namespace core
