#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace core {

/// What happens when in a replay. Of what happens at one time all that was added in a row comes out
/// in that order; nothing else is said of it.
///
/// A heap of times, each with a list: an op that ends may release thousands at once that all become
/// ready at the same later time (the slices of a tensor), which then are one entry.
class EventQueue
{
public:
    enum class What : std::uint8_t {
        Ready, ///< the op is ready
        Ended, ///< the op has ended; virtual, or its device serves one at a time
        Device ///< an op of the device may have ended
    };
    struct Event
    {
        std::uint32_t index; ///< of the op or the device
        What what;
    };

    bool isEmpty() const { return m_times.empty(); }
    /// Of the next event; there must be one.
    std::int64_t nextNs() const { return m_times.front().timeNs; }

    void push(std::int64_t timeNs, Event event)
    {
        const std::uint32_t link = newLink(event);
        if (m_last != None && m_lastNs == timeNs) {
            m_links[m_last].next = link;
        } else {
            m_times.push_back({ timeNs, link });
            std::push_heap(m_times.begin(), m_times.end(), isLater);
        }
        m_last = link;
        m_lastNs = timeNs;
    }

    Event pop()
    {
        const std::uint32_t link = m_times.front().first;
        const Event event = m_links[link].event;
        if (m_links[link].next != None) {
            m_times.front().first = m_links[link].next;
        } else {
            std::pop_heap(m_times.begin(), m_times.end(), isLater);
            m_times.pop_back();
            if (link == m_last)
                m_last = None;
        }
        m_links[link].next = std::exchange(m_free, link);
        return event;
    }

private:
    static constexpr std::uint32_t None = ~std::uint32_t { 0 };

    /// What was added in a row for one time.
    struct Time
    {
        std::int64_t timeNs;
        std::uint32_t first; ///< of its links
    };
    struct Link
    {
        Event event;
        std::uint32_t next; ///< of the same time, or of those that are free
    };

    static bool isLater(const Time &a, const Time &b) { return a.timeNs > b.timeNs; }

    std::uint32_t newLink(Event event)
    {
        if (m_free == None) {
            m_links.push_back({ event, None });
            return static_cast<std::uint32_t>(m_links.size() - 1);
        }
        const std::uint32_t link = std::exchange(m_free, m_links[m_free].next);
        m_links[link] = { event, None };
        return link;
    }

    std::vector<Time> m_times; ///< a heap
    std::vector<Link> m_links;
    std::uint32_t m_free = None; ///< the first link that is free
    std::uint32_t m_last = None; ///< the link added last, while it is there
    std::int64_t m_lastNs = 0; ///< of it
};

} // namespace core
