#pragma once

#include "core/model/trace.h"
#include "core/sqlite/database.h"

#include <span>
#include <vector>

// Steps and clocks: iteration, alignment and the properties of the alignment as values; one
// function a table and direction. Readers check what they read and throw Error.

namespace core {

void insertIterations(Database &db, std::span<const Iteration> iterations);
void replaceIterations(Database &db, std::span<const Iteration> iterations);
bool hasStatedIterations(Database &db, WorkerId worker);
std::vector<Iteration> readIterations(Database &db, std::size_t workerCount);

void replaceAlignment(Database &db, const AlignmentReport &report);
AlignmentReport readAlignment(Database &db, std::size_t workerCount);

} // namespace core
