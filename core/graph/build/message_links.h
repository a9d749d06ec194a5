#pragma once

#include "core/graph/build/exchanges.h"
#include "core/graph/build/graph_context.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// Where the data of messages between hosts goes. A rank has one link in each direction, so the
/// messages that a parameter server receives from all workers share its link; between two ranks of
/// equal standing a link is theirs alone.
class MessageLinks
{
public:
    MessageLinks(const GraphContext &context, const std::vector<Exchange> &exchanges);

    /// What messages that share a link have in common.
    std::string nameOf(const Exchange &message) const;

private:
    const GraphContext &m_context;
    std::map<WorkerId, std::set<WorkerId>> m_senders, m_receivers; ///< by the other end
};

/// A message's transfer in aligned time.
struct MessageTime
{
    TimeRange range; ///< from when both ends were ready until the data had come
    std::optional<std::size_t> heldBy; ///< exchange before whose end it did not begin
};

/// When each message of a CPU backend was under way, by exchange (collectives have an empty range).
/// A receiver's word that it is ready travels on the connection on which its own data goes the
/// other way: a message that both ends are ready for while such data is on its way begins when that
/// has come. This is taken to be so where the time left after it is enough for the message's bytes.
std::vector<MessageTime> messageTimes(const GraphContext &context,
                                      const std::vector<Exchange> &exchanges);

} // namespace core
