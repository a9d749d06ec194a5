#include "core/project/write/slice_run.h"

#include "core/project/codec/column_codec.h"

#include <utility>

namespace core {

namespace {

    constexpr std::size_t PieceRows = 1024; ///< many runs are read at once

    /// Calls visit(get, set) for every field: its value as a number, and back.
    template <class Visit>
    void visitFields(Visit visit)
    {
        const auto number = [&visit](auto CollectedSlice::*field) {
            visit([field](const CollectedSlice &s) { return std::uint64_t(s.*field); },
                  [field](CollectedSlice &s, std::uint64_t value) {
                      using Value = std::remove_reference_t<decltype(s.*field)>;
                      s.*field = static_cast<Value>(value);
                  });
        };
        number(&CollectedSlice::startNs);
        number(&CollectedSlice::durationNs);
        number(&CollectedSlice::correlation);
        number(&CollectedSlice::externalId);
        number(&CollectedSlice::node);
        number(&CollectedSlice::sequence);
        number(&CollectedSlice::forwardThread);
        number(&CollectedSlice::bytes);
        number(&CollectedSlice::argsOrdinal);
        number(&CollectedSlice::callOrdinal);
        number(&CollectedSlice::category);
        visit([](const CollectedSlice &s) { return std::uint64_t(s.name.value); },
              [](CollectedSlice &s, std::uint64_t value) {
                  s.name = NameId(static_cast<std::uint32_t>(value));
              });
    }

} // namespace

RunWriter::RunWriter(SpillFile &file)
    : m_file(file)
{
    m_rows.reserve(PieceRows);
    m_column.reserve(PieceRows);
}

void RunWriter::add(const CollectedSlice &slice)
{
    m_rows.push_back(slice);
    if (m_rows.size() == PieceRows)
        flush();
}

void RunWriter::flush()
{
    m_bytes.clear();
    visitFields([this](auto get, auto) {
        m_column.clear();
        for (const CollectedSlice &slice : m_rows)
            m_column.push_back(get(slice));
        encodeColumn(m_column, m_bytes);
    });
    m_run.pieces.push_back({ m_file.append(m_bytes), m_rows.size() });
    m_rows.clear();
}

SpilledRun RunWriter::finish()
{
    if (!m_rows.empty())
        flush();
    return std::exchange(m_run, {});
}

RunReader::RunReader(SpillFile &file, const SpilledRun &run)
    : m_file(&file)
    , m_run(&run)
{
    readPiece();
}

void RunReader::advance()
{
    ++m_next;
    if (m_next == m_rows.size())
        readPiece();
}

void RunReader::readPiece()
{
    m_next = 0;
    m_rows.clear();
    if (m_piece == m_run->pieces.size())
        return;
    const SpilledRun::Piece &piece = m_run->pieces[m_piece++];
    ByteBuffer bytes;
    m_file->read(piece.extent, bytes);
    ByteSpan in = bytes;
    m_rows.resize(piece.rows);
    visitFields([&](auto, auto set) {
        const std::vector<std::uint64_t> column = decodeColumn(in, piece.rows);
        for (std::size_t row = 0; row < piece.rows; ++row)
            set(m_rows[row], column[row]);
    });
}

} // namespace core
