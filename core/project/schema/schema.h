#pragma once

#include "core/sqlite/database.h"

#include <span>

namespace core {

/// What PRAGMA application_id of a project says.
constexpr std::int64_t ProjectApplicationId = 1282297964; // 'LnPl'
/// PRAGMA user_version that this program writes. Raising it needs a Migration.
constexpr int ProjectVersion = 8;
/// The first version whose slices, records and solved clocks are stored as in this one.
constexpr int FirstVersionOfTables = 4;

extern const char *const SchemaSql;
extern const char *const MigrateTo2Sql;
extern const char *const MigrateTo3Sql;
extern const char *const MigrateTo4Sql;
extern const char *const MigrateTo5Sql;
extern const char *const MigrateTo6Sql;
extern const char *const MigrateTo7Sql;
extern const char *const MigrateTo8Sql;
extern const char *const ReadVersion1Sql;
extern const char *const ReadVersion2Sql;
extern const char *const ReadVersion3Sql;
extern const char *const ReadVersion4Sql;
extern const char *const ReadVersion5Sql;
extern const char *const ReadVersion6Sql;
extern const char *const ReadVersion7Sql;

/// Brings a project from version `toVersion - 1` to `toVersion`.
struct Migration
{
    int toVersion = 0;
    const char *sql = nullptr;
};

/// In ascending order, without gaps, up to ProjectVersion; version 1 is the first and needs none.
std::span<const Migration> migrations();

void createSchema(Database &db);
/// Throws Error if the file is no project (saying what it is), was written by a newer Longpole or
/// has not the tables of the version that it says.
/// Returns its version.
int checkIsProject(Database &db);
/// Applies, each in a transaction of its own, the migrations above `fromVersion`.
void migrate(Database &db, int fromVersion, std::span<const Migration> steps);

} // namespace core
