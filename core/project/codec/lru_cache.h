#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

namespace core {

/// Keeps the values used last; a value that someone still holds outlives its place here.
template <class Value>
class LruCache
{
public:
    explicit LruCache(std::size_t capacity)
        : m_capacity(capacity)
    {
    }

    /// The value of `key`, made by `load()` if it is not here.
    template <class Load>
    std::shared_ptr<const Value> get(std::uint64_t key, Load load)
    {
        if (const auto it = m_byKey.find(key); it != m_byKey.end()) {
            m_entries.splice(m_entries.begin(), m_entries, it->second);
            return it->second->second;
        }
        auto value = std::make_shared<const Value>(load());
        if (m_entries.size() >= m_capacity) {
            m_byKey.erase(m_entries.back().first);
            m_entries.pop_back();
        }
        m_entries.emplace_front(key, value);
        m_byKey[key] = m_entries.begin();
        return value;
    }

private:
    using Entry = std::pair<std::uint64_t, std::shared_ptr<const Value>>;
    std::size_t m_capacity;
    std::list<Entry> m_entries; ///< used last first
    std::unordered_map<std::uint64_t, typename std::list<Entry>::iterator> m_byKey;
};

} // namespace core
