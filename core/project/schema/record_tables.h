#pragma once

#include "core/model/clocks.h"
#include "core/project/codec/record_chunks.h"
#include "core/sqlite/database.h"

#include <limits>
#include <span>

// What slices and workers carry beside their times, as values: one function a table and direction.
// Readers check what they read as those of worker_tables.h do.

namespace core {

void insertCollectives(Database &db, std::span<const CollectiveCall> calls);
void insertSyncs(Database &db, std::span<const SyncCall> calls);
/// A transfer and the interned text of its transaction.
struct NamedTransfer
{
    TransferCall call; ///< `transaction` is not used
    NameId transaction;
};
void insertTransfers(Database &db, std::span<const NamedTransfer> transfers);
void insertTensors(Database &db, std::span<const Tensor> tensors);
/// The tensor of that name, if the worker has it.
std::optional<TensorId> findTensor(Database &db, WorkerId worker, std::string_view name);
/// Gives a tensor that is there what only `said` knows of it.
void completeTensor(Database &db, TensorId known, const Tensor &said);
void insertTensorUses(Database &db, std::span<const TensorUse> uses);
/// By the clock of `file`. spilled: where chunks were spilled to; null: none was.
void insertMemory(Database &db, WorkerId worker, FileId file, std::span<const RecordChunk> chunks,
                  SpillFile *spilled);
void insertDependencies(Database &db, WorkerId worker, std::span<const RecordChunk> chunks,
                        SpillFile *spilled);

std::vector<CollectiveCall> readCollectives(Database &db, std::size_t workerCount,
                                            std::uint64_t sliceCount);
std::vector<SyncCall> readSyncs(Database &db, std::size_t workerCount, std::uint64_t sliceCount);
/// Of more than `most`, whole transactions of no more than that together.
std::vector<TransferCall>
readTransfers(Database &db, std::size_t workerCount, std::uint64_t sliceCount,
              std::span<const std::string> names,
              std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
std::vector<Tensor> readTensors(Database &db, std::size_t workerCount);
std::vector<TensorUse> readTensorUses(Database &db, std::uint64_t sliceCount,
                                      std::size_t tensorCount);
std::vector<Dependency> readDependencies(Database &db, std::size_t workerCount,
                                         std::size_t nameCount);
/// Sorted by time; the worker's raw clock.
std::vector<MemoryEvent> readMemory(Database &db, WorkerId worker,
                                    std::span<const FileClock> clocks);

} // namespace core
