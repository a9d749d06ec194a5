#pragma once

#include "core/base/ring.h"
#include "core/import/chrome/chrome_trace_reader.h"
#include "core/import/text/json_window.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace core {

/// Some of what stands in a Chrome trace, one after the other, on its way from the thread that
/// finds it to the one that consumes it.
class ChromeBatch
{
public:
    void addListBegin() { m_items.push_back({ Kind::ListBegin, 0, {}, {} }); }
    void addEvent(const ChromeEvent &event, std::string_view text, std::uint64_t offset)
    {
        m_items.push_back({ Kind::Event, offset, text, event });
    }
    void addOther(std::uint64_t offset) { m_items.push_back({ Kind::Other, offset, {}, {} }); }
    void addMember(std::string_view key, std::string_view value, std::uint64_t offset);
    std::size_t size() const { return m_items.size(); }
    /// Holds what the texts of the items point into.
    void hold(std::shared_ptr<const char[]> text) { m_text = std::move(text); }
    /// Gives all to the consumer and is empty then.
    void moveTo(ChromeTraceConsumer &consumer);

private:
    enum class Kind : std::uint8_t { ListBegin, Event, Other, Member };
    struct Item
    {
        Kind kind;
        std::uint64_t offset;
        std::string_view text; ///< of an event; a member's value
        ChromeEvent event;
    };

    std::vector<Item> m_items;
    std::deque<std::string> m_keys; ///< of the members, in their order
    std::shared_ptr<const char[]> m_text;
};

using ChromeBatchRing = Ring<ChromeBatch, 4>;

/// Fills batches with what is found in a window, and pushes them. Throws Cancelled if the other
/// side takes nothing more.
class ChromeBatchWriter : public ChromeTraceConsumer
{
public:
    /// The references must outlive the writer, which the window refers to from now on.
    ChromeBatchWriter(JsonWindow &window, ChromeBatchRing &ring);

    void beginEvents() override;
    void addEvent(const ChromeEvent &event, std::string_view text, std::uint64_t offset) override;
    void addOther(std::uint64_t offset) override;
    void addMember(std::string_view key, std::string_view value, std::uint64_t offset) override;
    /// Pushes what has been added.
    void flush();

private:
    /// The batch for the next item.
    ChromeBatch &batch();

    JsonWindow &m_window;
    ChromeBatchRing &m_ring;
    ChromeBatch *m_batch = nullptr;
};

} // namespace core
