#pragma once

#include "core/graph/build/device_launches.h"
#include "core/graph/build/graph_context.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace core {

/// Collectives that wait alike.
struct WaitKind
{
    DeviceId stream;
    NameId kernel;
    auto operator<=>(const WaitKind &) const = default;
};

/// A device op that is taken to wait for another one.
struct TakenWait
{
    OpId awaited, waiting;
};

using TakenWaits = std::map<WaitKind, std::vector<TakenWait>>;

/// What a worker's calls and launches tell of its collectives.
struct FoundWaits
{
    TakenWaits begins; ///< of collectives
    TakenWaits ends; ///< for collectives
    /// Where no calls are recorded: a collective, and what was launched next where its thread
    /// launched before.
    std::vector<TakenWait> possibleEnds;
};

/// Whether a device op communicates; a part of a matched collective, too.
bool isCollectiveOp(const GraphContext &context, OpId op);

/// Follows host threads from launch to launch, by the rules that addStreamWaits() states, whatever
/// the times are.
class StreamWaitFinder
{
public:
    /// The context must outlive it.
    explicit StreamWaitFinder(const GraphContext &context);

    FoundWaits find(WorkerId worker) const;

private:
    class OfWorker;
    enum class StreamCall : std::uint8_t { None, EventRecord, StreamWait };
    /// What a call launched.
    struct Launched
    {
        OpId op = NoOp; ///< one of them
        std::uint32_t count = 0;
    };

    static StreamCall streamCallOf(std::string_view name);
    StreamCall callOf(OpId op) const;
    /// The only device op that the call launched: what a launched graph's ops wait for is within
    /// it.
    std::optional<OpId> launchedBy(OpId call) const;

    const GraphContext &m_context;
    DeviceLaunches m_launches;
    std::vector<Launched> m_launchedBy; ///< by OpId of the call
    std::vector<StreamCall> m_callOfName; ///< by NameId
};

} // namespace core
