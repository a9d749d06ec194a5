#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace collectors {

class RecordFile;

/// The texts of a recording and their ids. Any thread adds, without a lock; one thread writes.
class TextTable
{
public:
    static constexpr std::size_t MostTexts = 2048;
    static constexpr std::size_t MostTries = 128; ///< a full table must not slow callbacks down
    static constexpr std::size_t MostBytes = 120; ///< of a text; the rest is cut off

    /// Throws std::bad_alloc.
    TextTable();

    /// From 1 on; 0 for nullptr, and where the table is full. The same text may have two ids if two
    /// threads add it at once.
    std::uint32_t idOf(const char *text) noexcept;
    std::uint32_t idOf(std::string_view text) noexcept;
    /// Of a communicator: a job may make ever new ones, so they fill half of the table at most; the
    /// rest is for other texts. 0 for a new name from there on.
    std::uint32_t idOfName(const char *name) noexcept;
    /// Writes what is new; for one thread.
    void writeNew(RecordFile &file);

private:
    enum State : std::uint32_t { Free, Filling, Ready };
    struct Entry
    {
        std::atomic<std::uint32_t> state { Free };
        std::uint32_t length = 0;
        std::array<char, MostBytes> text {};
        bool isWritten = false; ///< of the writing thread
    };

    std::uint32_t find(std::string_view text, bool mayAdd) noexcept;

    std::unique_ptr<Entry[]> m_entries;
    std::atomic<std::uint32_t> m_count { 0 };
    std::uint32_t m_writtenCount = 0;
};

} // namespace collectors
