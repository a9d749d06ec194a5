#include "core/import/chrome/chrome_batch.h"

#include "core/base/job_control.h"

namespace core {

namespace {

    /// The items of four batches and the text of their events stay in a core's cache.
    constexpr std::size_t MostItems = 256;

} // namespace

void ChromeBatch::addMember(std::string_view key, std::string_view value, std::uint64_t offset)
{
    m_keys.emplace_back(key);
    m_items.push_back({ Kind::Member, offset, value, {} });
}

void ChromeBatch::moveTo(ChromeTraceConsumer &consumer)
{
    auto key = m_keys.begin();
    for (const Item &item : m_items) {
        switch (item.kind) {
        case Kind::ListBegin:
            consumer.beginEvents();
            break;
        case Kind::Event:
            consumer.addEvent(item.event, item.text, item.offset);
            break;
        case Kind::Other:
            consumer.addOther(item.offset);
            break;
        case Kind::Member:
            consumer.addMember(*key++, item.text, item.offset);
            break;
        }
    }
    m_items.clear();
    m_keys.clear();
    m_text.reset();
}

ChromeBatchWriter::ChromeBatchWriter(JsonWindow &window, ChromeBatchRing &ring)
    : m_window(window)
    , m_ring(ring)
{
    window.callBeforeMove([this] { flush(); });
}

ChromeBatch &ChromeBatchWriter::batch()
{
    if (m_batch && m_batch->size() >= MostItems)
        flush();
    if (!m_batch)
        m_batch = m_ring.waitForRoom();
    if (!m_batch)
        throw Cancelled {};
    return *m_batch;
}

void ChromeBatchWriter::beginEvents()
{
    batch().addListBegin();
}

void ChromeBatchWriter::addEvent(const ChromeEvent &event, std::string_view text,
                                 std::uint64_t offset)
{
    batch().addEvent(event, text, offset);
}

void ChromeBatchWriter::addOther(std::uint64_t offset)
{
    batch().addOther(offset);
}

void ChromeBatchWriter::addMember(std::string_view key, std::string_view value,
                                  std::uint64_t offset)
{
    batch().addMember(key, value, offset);
}

void ChromeBatchWriter::flush()
{
    if (!m_batch)
        return;
    m_batch->hold(m_window.keep());
    m_batch = nullptr;
    m_ring.push();
    if (m_window.isLarge()) // one such buffer at a time
        m_ring.waitUntilEmptied();
}

} // namespace core
