#include "core/project/schema/record_tables.h"

#include "core/project/codec/checked_values.h"
#include "core/project/codec/compression.h"
#include "core/project/project_limits.h"
#include "core/project/read/file_clocks.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    /// The uncompressed records of a row that holds their number, size and data from `column` on.
    ByteBuffer recordsOf(Database &db, const Statement &row, int column)
    {
        if (row.natural(column) > RecordChunkRows)
            db.failDamaged("a chunk of records is too large");
        return decompress(row.bytes(column + 2), row.natural(column + 1));
    }

    /// Throws Error where the chunks of a table claim more records than the file can honestly hold.
    void checkBudget(Database &db, const std::string &chunks, std::size_t bytesEach)
    {
        const std::int64_t records
            = db.integer("SELECT CAST(total(max(row_count, 0)) AS INTEGER) FROM " + chunks);
        const std::uint64_t most = SmallestRecordBudget + RecordBytesPerFileByte * db.fileBytes();
        if (static_cast<std::uint64_t>(records) > most / bytesEach)
            db.failDamaged("it claims more records than it can hold");
    }

    /// `buffer` takes what is spilled.
    ByteSpan dataOf(const RecordChunk &chunk, SpillFile *spilled, ByteBuffer &buffer)
    {
        if (!chunk.spilled)
            return chunk.data;
        spilled->read(*chunk.spilled, buffer);
        return buffer;
    }

} // namespace

void insertCollectives(Database &db, std::span<const CollectiveCall> calls)
{
    Statement insert(db, "INSERT INTO collective_call VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const CollectiveCall &call : calls)
        insert
            .bindAll(call.slice.value, std::int64_t(call.worker.value), std::string_view(call.kind),
                     std::string_view(call.group), call.sequence, call.bytes, call.groupSize,
                     call.readyNs)
            .run();
}

void insertSyncs(Database &db, std::span<const SyncCall> calls)
{
    Statement insert(db, "INSERT INTO sync_call VALUES (?, ?, ?, ?, ?)");
    for (const SyncCall &call : calls)
        insert
            .bindAll(call.slice.value, std::int64_t(call.worker.value), call.waitOnStream,
                     call.waitOnCorrelation, call.stream)
            .run();
}

void insertTransfers(Database &db, std::span<const NamedTransfer> transfers)
{
    Statement insert(db, "INSERT INTO transfer_call VALUES (?, ?, ?, ?, ?, ?)");
    for (const NamedTransfer &transfer : transfers)
        insert
            .bindAll(transfer.call.slice.value, std::int64_t(transfer.call.worker.value),
                     int(transfer.call.isSend), transfer.call.peer, transfer.call.channel,
                     std::int64_t(transfer.transaction.value))
            .run();
}

void insertTensors(Database &db, std::span<const Tensor> tensors)
{
    Statement insert(db, "INSERT INTO tensor VALUES (?, ?, ?, ?, ?, ?)");
    for (const Tensor &tensor : tensors)
        insert
            .bindAll(std::int64_t(tensor.id.value), std::int64_t(tensor.worker.value),
                     std::string_view(tensor.name), tensor.bytes, std::string_view(tensor.dtype),
                     std::string_view(tensor.shape))
            .run();
}

std::optional<TensorId> findTensor(Database &db, WorkerId worker, std::string_view name)
{
    Statement select(db, "SELECT id FROM tensor WHERE worker = ? AND name = ?");
    if (!select.bindAll(std::int64_t(worker.value), name).step())
        return std::nullopt;
    return TensorId(static_cast<std::uint32_t>(select.natural(0)));
}

void completeTensor(Database &db, TensorId known, const Tensor &said)
{
    Statement(db,
              "UPDATE tensor SET bytes = CASE bytes WHEN 0 THEN ? ELSE bytes END, "
              "dtype = CASE dtype WHEN '' THEN ? ELSE dtype END, "
              "shape = CASE shape WHEN '' THEN ? ELSE shape END WHERE id = ?")
        .bindAll(said.bytes, std::string_view(said.dtype), std::string_view(said.shape),
                 std::int64_t(known.value))
        .run();
}

void insertTensorUses(Database &db, std::span<const TensorUse> uses)
{
    // A source may name one tensor twice in a collective.
    Statement insert(db, "INSERT OR IGNORE INTO tensor_use VALUES (?, ?)");
    for (const TensorUse &use : uses)
        insert.bindAll(use.slice.value, std::int64_t(use.tensor.value)).run();
}

void insertMemory(Database &db, WorkerId worker, FileId file, std::span<const RecordChunk> chunks,
                  SpillFile *spilled)
{
    ByteBuffer buffer;
    Statement insert(db, "INSERT INTO memory_chunk VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)");
    for (const RecordChunk &chunk : chunks)
        insert
            .bindAll(std::int64_t(worker.value), static_cast<std::uint64_t>(chunk.rows),
                     chunk.range.startNs, chunk.range.endNs, chunk.rawBytes,
                     dataOf(chunk, spilled, buffer), std::int64_t(file.value))
            .run();
}

void insertDependencies(Database &db, WorkerId worker, std::span<const RecordChunk> chunks,
                        SpillFile *spilled)
{
    ByteBuffer buffer;
    Statement insert(db, "INSERT INTO dependency_chunk VALUES (NULL, ?, ?, ?, ?)");
    for (const RecordChunk &chunk : chunks)
        insert
            .bindAll(std::int64_t(worker.value), static_cast<std::uint64_t>(chunk.rows),
                     chunk.rawBytes, dataOf(chunk, spilled, buffer))
            .run();
}

std::vector<CollectiveCall> readCollectives(Database &db, std::size_t workerCount,
                                            std::uint64_t sliceCount)
{
    std::vector<CollectiveCall> calls;
    calls.reserve(static_cast<std::size_t>(db.integer("SELECT count(*) FROM collective_call")));
    Statement select(db,
                     "SELECT slice, worker, kind, process_group, sequence, bytes, group_size, "
                     "raw_ready_ns "
                     "FROM collective_call ORDER BY slice");
    while (select.step())
        calls.push_back({ checkedId<SliceId>(db, select, 0, sliceCount),
                          checkedId<WorkerId>(db, select, 1, workerCount), select.text(2),
                          select.text(3), select.optional<std::uint64_t>(4), select.natural(5),
                          select.optional<int>(6), checkedOptionalTime(db, select, 7) });
    return calls;
}

std::vector<SyncCall> readSyncs(Database &db, std::size_t workerCount, std::uint64_t sliceCount)
{
    std::vector<SyncCall> calls;
    Statement select(db,
                     "SELECT slice, worker, wait_on_stream, wait_on_correlation, stream "
                     "FROM sync_call ORDER BY slice");
    while (select.step())
        calls.push_back({ checkedId<SliceId>(db, select, 0, sliceCount),
                          checkedId<WorkerId>(db, select, 1, workerCount),
                          select.optional<std::int64_t>(2), select.optional<std::uint64_t>(3),
                          select.optional<std::int64_t>(4) });
    return calls;
}

namespace {

    /// The last of the transactions, by name id, that have no more than `most` ends together.
    std::int64_t lastTransaction(Database &db, std::uint64_t most)
    {
        constexpr std::int64_t All = std::numeric_limits<std::int64_t>::max();
        if (static_cast<std::uint64_t>(db.integer("SELECT count(*) FROM transfer_call")) <= most)
            return All;
        Statement select(db,
                         "SELECT transaction_name, count(*) FROM transfer_call "
                         "GROUP BY transaction_name ORDER BY transaction_name");
        std::int64_t last = -1;
        for (std::uint64_t ends = 0; select.step(); last = select.integer(0)) {
            ends += select.natural(1);
            if (ends > most)
                break;
        }
        return last;
    }

} // namespace

std::vector<TransferCall> readTransfers(Database &db, std::size_t workerCount,
                                        std::uint64_t sliceCount,
                                        std::span<const std::string> names, std::uint64_t most)
{
    std::vector<TransferCall> calls;
    Statement select(db,
                     "SELECT slice, worker, is_send, peer, channel, transaction_name "
                     "FROM transfer_call WHERE transaction_name <= ? ORDER BY slice");
    select.bindAll(lastTransaction(db, most));
    while (select.step())
        calls.push_back({ checkedId<SliceId>(db, select, 0, sliceCount),
                          checkedId<WorkerId>(db, select, 1, workerCount), select.integer(2) != 0,
                          select.optional<int>(3), select.optional<int>(4),
                          names[checkedId<NameId>(db, select, 5, names.size()).value] });
    return calls;
}

std::vector<Tensor> readTensors(Database &db, std::size_t workerCount)
{
    std::vector<Tensor> tensors;
    Statement select(db, "SELECT id, worker, name, bytes, dtype, shape FROM tensor ORDER BY id");
    while (select.step()) {
        if (select.natural(0) != tensors.size())
            db.failDamaged("a tensor is missing");
        tensors.push_back({ TensorId(static_cast<std::uint32_t>(tensors.size())),
                            checkedId<WorkerId>(db, select, 1, workerCount), select.text(2),
                            select.natural(3), select.text(4), select.text(5) });
    }
    return tensors;
}

std::vector<TensorUse> readTensorUses(Database &db, std::uint64_t sliceCount,
                                      std::size_t tensorCount)
{
    std::vector<TensorUse> uses;
    Statement select(db, "SELECT slice, tensor FROM tensor_use ORDER BY slice, tensor");
    while (select.step())
        uses.push_back({ checkedId<SliceId>(db, select, 0, sliceCount),
                         checkedId<TensorId>(db, select, 1, tensorCount) });
    return uses;
}

std::vector<Dependency> readDependencies(Database &db, std::size_t workerCount,
                                         std::size_t nameCount)
{
    checkBudget(db, "dependency_chunk", sizeof(Dependency));
    std::vector<Dependency> dependencies;
    Statement select(db,
                     "SELECT worker, row_count, raw_bytes, data FROM dependency_chunk ORDER BY id");
    while (select.step()) {
        const auto worker = checkedId<WorkerId>(db, select, 0, workerCount);
        const ByteBuffer raw = recordsOf(db, select, 1);
        for (const DependencyEdge &edge :
             decodeDependencies(raw, static_cast<std::size_t>(select.natural(1)), nameCount))
            dependencies.push_back({ worker, edge });
    }
    return dependencies;
}

std::vector<MemoryEvent> readMemory(Database &db, WorkerId worker,
                                    std::span<const FileClock> clocks)
{
    checkBudget(db, "memory_chunk", sizeof(MemoryEvent));
    std::vector<MemoryEvent> all;
    Statement select(db,
                     "SELECT row_count, raw_bytes, data, coalesce(source_file, 0) FROM "
                     "memory_chunk WHERE worker = ? ORDER BY raw_min_ns, id");
    select.bindAll(std::int64_t(worker.value));
    while (select.step()) {
        const ByteBuffer raw = recordsOf(db, select, 0);
        auto events = decodeMemory(raw, static_cast<std::size_t>(select.natural(0)));
        const FileClock &clock
            = clockOf(clocks, worker, checkedId<FileId>(db, select, 3, MostFileIds));
        for (MemoryEvent &event : events)
            event.timeNs = rankTime(db, clock, event.timeNs);
        all.insert(all.end(), events.begin(), events.end());
    }
    std::stable_sort(all.begin(), all.end(), [](const MemoryEvent &a, const MemoryEvent &b) {
        return a.timeNs < b.timeNs;
    });
    return all;
}

} // namespace core
