#pragma once

#include "core/project/write/collected_slice.h"
#include "core/project/write/spill_file.h"

#include <span>
#include <vector>

namespace core {

/// Slices of a track in its order, written to a spill file in pieces.
struct SpilledRun
{
    struct Piece
    {
        SpillExtent extent;
        std::size_t rows = 0;
    };
    std::vector<Piece> pieces;
};

/// Writes a run; one row after the other.
class RunWriter
{
public:
    explicit RunWriter(SpillFile &file);
    void add(const CollectedSlice &slice);
    SpilledRun finish();

private:
    void flush();

    SpillFile &m_file;
    std::vector<CollectedSlice> m_rows;
    std::vector<std::uint64_t> m_column;
    ByteBuffer m_bytes;
    SpilledRun m_run;
};

/// Reads a run from its beginning; memory of one piece. Refers to both.
class RunReader
{
public:
    RunReader(SpillFile &file, const SpilledRun &run);
    /// The slice that comes next; null at the end.
    const CollectedSlice *head() const
    {
        return m_next < m_rows.size() ? &m_rows[m_next] : nullptr;
    }
    void advance();

private:
    void readPiece();

    SpillFile *m_file;
    const SpilledRun *m_run;
    std::size_t m_piece = 0; ///< to be read next
    std::vector<CollectedSlice> m_rows;
    std::size_t m_next = 0;
};

} // namespace core
