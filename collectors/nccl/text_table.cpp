#include "collectors/nccl/text_table.h"

#include "collectors/format/record_file.h"

#include <cstring>

namespace collectors {

namespace {

    std::uint32_t hashOf(std::string_view text) noexcept
    {
        std::uint32_t hash = 2166136261U; // FNV-1a
        for (const char letter : text)
            hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
        return hash;
    }

} // namespace

TextTable::TextTable()
    : m_entries(new Entry[MostTexts])
{
}

std::uint32_t TextTable::idOf(const char *text) noexcept
{
    return text != nullptr ? idOf(std::string_view(text, strnlen(text, MostBytes))) : 0;
}

std::uint32_t TextTable::idOf(std::string_view text) noexcept
{
    return find(text, true);
}

std::uint32_t TextTable::idOfName(const char *name) noexcept
{
    const bool mayAdd = m_count.load(std::memory_order_relaxed) < MostTexts / 2;
    return name != nullptr ? find({ name, strnlen(name, MostBytes) }, mayAdd) : 0;
}

std::uint32_t TextTable::find(std::string_view text, bool mayAdd) noexcept
{
    text = text.substr(0, MostBytes);
    std::uint32_t place = hashOf(text) % MostTexts;
    for (std::size_t i = 0; i < MostTries; ++i, place = (place + 1) % MostTexts) {
        Entry &entry = m_entries[place];
        std::uint32_t state = entry.state.load(std::memory_order_acquire);
        if (state == Ready) {
            if (std::string_view(entry.text.data(), entry.length) == text)
                return place + 1;
            continue;
        }
        if (state == Free && !mayAdd)
            return 0;
        if (state != Free
            || !entry.state.compare_exchange_strong(state, Filling, std::memory_order_acquire))
            continue;
        entry.length = static_cast<std::uint32_t>(text.size());
        std::memcpy(entry.text.data(), text.data(), text.size());
        entry.state.store(Ready, std::memory_order_release);
        m_count.fetch_add(1, std::memory_order_release);
        return place + 1;
    }
    return 0;
}

void TextTable::writeNew(RecordFile &file)
{
    const std::uint32_t count = m_count.load(std::memory_order_acquire);
    if (count == m_writtenCount)
        return;
    for (std::uint32_t place = 0; place < MostTexts; ++place) {
        Entry &entry = m_entries[place];
        if (entry.isWritten || entry.state.load(std::memory_order_acquire) != Ready)
            continue;
        file.writeString(place + 1, { entry.text.data(), entry.length });
        entry.isWritten = true;
        ++m_writtenCount;
    }
}

} // namespace collectors
