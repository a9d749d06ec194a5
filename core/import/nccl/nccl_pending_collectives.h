#pragma once

#include "core/base/diagnostics.h"
#include "core/base/time_range.h"
#include "core/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace core {

/// A collective that was enqueued; its kernel comes later in the file.
struct NcclPendingCollective
{
    WorkerId worker;
    std::string name, process, communicator, args;
    std::optional<std::uint64_t> sequence;
    std::uint64_t bytes = 0, offset = 0;
    std::optional<TimeRange> range; ///< of its kernel channels so far
};

/// The collectives whose kernels did not come yet, by the addresses of their events, as far as
/// memory suffices.
class NcclPendingCollectives
{
public:
    using GiveOut = std::function<void(const NcclPendingCollective &)>;

    /// `giveOut` is called with a collective that is no longer waited for.
    NcclPendingCollectives(Diagnostics &diagnostics, std::string file, std::size_t mostBytes,
                           GiveOut giveOut);

    /// Gives out an earlier one of the same address (the plug-in uses its memory again) and, where
    /// there is no room, others, which it counts.
    void add(const std::string &address, NcclPendingCollective collective);
    /// nullptr: there is none. Valid until the next change.
    NcclPendingCollective *find(const std::string &address);
    /// Its kernel has come: it is not given out.
    void forget(const std::string &address);
    /// At the end of the file.
    void giveOutAll() const;

private:
    using ByAddress = std::map<std::string, NcclPendingCollective>;

    void makeRoomFor(const NcclPendingCollective &collective);
    void flush(ByAddress::iterator collective);
    void erase(ByAddress::iterator collective);

    Diagnostics &m_diagnostics;
    std::string m_file;
    const std::size_t m_mostBytes;
    GiveOut m_giveOut;
    ByAddress m_pending;
    std::size_t m_heldBytes = 0; ///< about
};

} // namespace core
