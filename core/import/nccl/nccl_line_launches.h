#pragma once

#include "core/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace core {

/// The latest kernel launches of a file of NCCL's events, and which collectives they launched:
/// CUPTI's records of the kernels name neither.
class NcclLineLaunches
{
public:
    explicit NcclLineLaunches(std::size_t mostBytes);

    /// `id`: extCorrId, which ascends.
    void add(std::uint64_t id, WorkerId worker);
    /// A collective was enqueued: the worker's last launch is its own. `address`: of its event.
    void addCollective(WorkerId worker, const std::string &address);

    /// nullptr: no such launch.
    const WorkerId *workerOf(std::uint64_t id) const;
    /// The address of the only collective that was launched so; nullptr: there are several, or
    /// none.
    const std::string *onlyCollectiveOf(std::uint64_t id) const;

private:
    struct Launch
    {
        WorkerId worker;
        std::uint64_t collectiveCount = 0;
        std::string address; ///< of the last collective's event
    };

    const std::size_t m_most;
    std::map<std::uint64_t, Launch> m_launches;
    std::map<WorkerId, std::uint64_t> m_last; ///< the id of each worker's last one
};

} // namespace core
