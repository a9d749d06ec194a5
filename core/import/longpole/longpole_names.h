#pragma once

#include "collectors/format/record_scanner.h"
#include "core/base/diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace core {

/// What records of a recording refer to and what may come after them in the file: texts, external
/// ids, communicators. Filled before the records are translated.
class RecordedNames
{
public:
    // Whatever the memory.
    static constexpr std::uint64_t MaximumTextBytes = 64 * 1024 * 1024;
    static constexpr std::size_t MaximumTexts = 1'000'000;
    static constexpr std::size_t MaximumCorrelations = 8'000'000;
    static constexpr std::size_t MaximumCommunicators = 100'000;

    /// The diagnostics must outlive this, which holds at most about `mostBytes`.
    RecordedNames(Diagnostics &diagnostics, std::string file, std::size_t mostBytes);

    void add(const collectors::RecordView &record);

    /// "" for 0 and for a text that is not in the file.
    const std::string &text(std::uint32_t id) const;
    /// 0: none.
    std::uint64_t externalId(std::uint64_t correlation) const;
    /// As a rank of it sees it; nullptr: its record is not in the file.
    const collectors::CommunicatorRecord *communicator(std::uint64_t id, std::uint32_t rank) const;
    /// By id and own rank, of which a process may have several.
    using Communicators
        = std::map<std::pair<std::uint64_t, std::uint32_t>, collectors::CommunicatorRecord>;
    const Communicators &communicators() const { return m_communicators; }

private:
    void addText(const collectors::RecordView &record);
    /// False if all that is held would take too much; else it is counted.
    bool takeRoom(std::size_t sizeBytes);
    void noteFull(const collectors::RecordView &record);

    Diagnostics &m_diagnostics;
    std::string m_file;
    const std::size_t m_mostBytes;
    std::size_t m_heldBytes = 0; ///< by all tables, about
    std::unordered_map<std::uint32_t, std::string> m_texts;
    std::uint64_t m_textBytes = 0; ///< without what the table takes
    std::unordered_map<std::uint64_t, std::uint64_t> m_externalIds;
    Communicators m_communicators;
};

} // namespace core
