#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace core {

/// What is kept of ordered pairs of workers. Collectives of the same workers come one after
/// another, so that what one looks up in turn is what the last one has looked up: no search then.
template <class Value>
class PairMap
{
public:
    /// The next collective's first pair follows.
    void rewind() { m_at = 0; }

    Value &operator()(std::size_t i, std::size_t j)
    {
        if (m_at == m_recent.size())
            m_recent.push_back(nullptr);
        auto *&recent = m_recent[m_at++];
        if (!recent || recent->first != std::pair(i, j))
            recent = &*m_byPair.try_emplace({ i, j }).first;
        return recent->second;
    }

    /// By pair, in order.
    std::map<std::pair<std::size_t, std::size_t>, Value> &byPair() { return m_byPair; }

private:
    using Entry = std::pair<const std::pair<std::size_t, std::size_t>, Value>;

    std::map<std::pair<std::size_t, std::size_t>, Value> m_byPair;
    std::vector<Entry *> m_recent; ///< in the order of the last collective's pairs
    std::size_t m_at = 0;
};

} // namespace core
