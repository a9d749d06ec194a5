#pragma once

#include "core/base/diagnostics.h"
#include "core/bundle/bundle.h"

#include <cstddef>
#include <memory>
#include <span>

namespace core {

/// Reads an entry for an importer. What cannot be read to its end (a cut or damaged archive) ends
/// where its readable bytes end, and why is counted once, as the Error diagnostic
/// "unreadable-rest": what was readable is worth keeping.
class EntryReader
{
public:
    /// The references must outlive the reader.
    EntryReader(BundleEntry &entry, Diagnostics &diagnostics)
        : m_entry(entry)
        , m_diagnostics(diagnostics)
    {
    }

    /// Fills the buffer with the next bytes and returns how many; 0 at the end.
    std::size_t read(std::span<char> buffer);
    /// The entry could not be read to its end.
    bool isCut() const { return m_isCut; }
    const BundleEntry &entry() const { return m_entry; }

private:
    BundleEntry &m_entry;
    Diagnostics &m_diagnostics;
    bool m_isAtEnd = false;
    bool m_isCut = false;
};

/// The entry from its beginning, for formats whose names stand behind what they name. Throws Error
/// if it cannot be opened again.
std::unique_ptr<BundleEntry> openAgain(const BundleEntry &entry);

} // namespace core
