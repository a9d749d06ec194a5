#include "core/import/nccl/nccl_line_launches.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MaximumLaunches = 1'000'000; ///< whatever the memory
    constexpr std::size_t BytesPerLaunch = 192; ///< about

} // namespace

NcclLineLaunches::NcclLineLaunches(std::size_t mostBytes)
    : m_most(std::clamp<std::size_t>(mostBytes / BytesPerLaunch, 1, MaximumLaunches))
{
}

void NcclLineLaunches::add(std::uint64_t id, WorkerId worker)
{
    m_last[worker] = id;
    if (m_launches.size() >= m_most)
        m_launches.erase(m_launches.begin());
    m_launches[id] = { worker, 0, {} };
}

void NcclLineLaunches::addCollective(WorkerId worker, const std::string &address)
{
    const auto launch = m_launches.find(m_last[worker]);
    if (launch == m_launches.end())
        return;
    ++launch->second.collectiveCount;
    launch->second.address = address;
}

const WorkerId *NcclLineLaunches::workerOf(std::uint64_t id) const
{
    const auto launch = m_launches.find(id);
    return launch == m_launches.end() ? nullptr : &launch->second.worker;
}

const std::string *NcclLineLaunches::onlyCollectiveOf(std::uint64_t id) const
{
    const auto launch = m_launches.find(id);
    return launch != m_launches.end() && launch->second.collectiveCount == 1
        ? &launch->second.address
        : nullptr;
}

} // namespace core
