#include "core/import/entry_reader.h"

#include "core/base/error.h"

namespace core {

std::size_t EntryReader::read(std::span<char> buffer)
{
    if (m_isAtEnd)
        return 0;
    try {
        const std::size_t count = m_entry.read(buffer);
        m_isAtEnd = count == 0 && !buffer.empty();
        return count;
    } catch (const Error &error) {
        m_isAtEnd = true;
        m_isCut = true;
        // What is lost is not this, but the records that followed, however many they were.
        m_diagnostics.add({ "unreadable-rest", Severity::Error, 1, m_entry.name(),
                            error.where().offset, error.message(), /*losesRecords=*/false });
        return 0;
    }
}

std::unique_ptr<BundleEntry> openAgain(const BundleEntry &entry)
{
    auto again = entry.openOther("");
    if (again == nullptr)
        throw Error("the file cannot be opened a second time, which its format needs: its names "
                    "stand behind what they name",
                    { entry.name(), std::nullopt });
    return again;
}

} // namespace core
