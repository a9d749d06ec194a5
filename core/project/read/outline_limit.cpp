#include "core/project/read/outline_limit.h"

#include "core/base/error.h"

#include <algorithm>
#include <string>

namespace core {

namespace {

    constexpr std::size_t MiB = 1024 * 1024;
    constexpr std::size_t FixedBytes = 64 * MiB; ///< of the program, SQLite and the readers
    /// Of a slice with the iteration that it marks, and of a collective more than of its slice:
    /// measured with 32 ranks of 60,000 iterations of one collective each, with and without marks.
    constexpr std::size_t BytesPerRow = 100, BytesPerCall = 220;

} // namespace

std::size_t OutlineLimit::mostRows(std::size_t calls) const
{
    const std::size_t taken = FixedBytes + calls * BytesPerCall;
    return (std::max(m_bytes, taken) - taken) / BytesPerRow;
}

void OutlineLimit::check(std::size_t calls, std::size_t rows) const
{
    if (rows <= mostRows(calls))
        return;
    const std::size_t neededMib
        = (FixedBytes + calls * BytesPerCall + rows * BytesPerRow) / MiB + 1;
    throw Error("the ranks together have " + std::to_string(calls) + " collectives and "
                + std::to_string(rows - calls)
                + " marks of iterations. Aligning and comparing them takes about "
                + std::to_string(neededMib) + " MiB, more than the " + std::to_string(m_bytes / MiB)
                + " MiB of --memory-limit. Give --memory-limit " + std::to_string(neededMib)
                + " or more (longpole import), or record fewer iterations or ranks");
}

} // namespace core
