#include "core/import/nccl/nccl_pending_collectives.h"

#include <utility>

namespace core {

namespace {

    constexpr std::size_t MaximumPending = 100'000; ///< whatever the memory

    /// About, in a table.
    std::size_t pendingBytes(const NcclPendingCollective &collective)
    {
        constexpr std::size_t TableBytes = 128;
        return sizeof(collective) + TableBytes + collective.name.size() + collective.process.size()
            + collective.communicator.size() + collective.args.size();
    }

} // namespace

NcclPendingCollectives::NcclPendingCollectives(Diagnostics &diagnostics, std::string file,
                                               std::size_t mostBytes, GiveOut giveOut)
    : m_diagnostics(diagnostics)
    , m_file(std::move(file))
    , m_mostBytes(mostBytes)
    , m_giveOut(std::move(giveOut))
{
}

void NcclPendingCollectives::add(const std::string &address, NcclPendingCollective collective)
{
    makeRoomFor(collective);
    const auto earlier = m_pending.find(address);
    if (earlier != m_pending.end())
        flush(earlier);
    m_heldBytes += pendingBytes(collective);
    m_pending.emplace(address, std::move(collective));
}

NcclPendingCollective *NcclPendingCollectives::find(const std::string &address)
{
    const auto found = m_pending.find(address);
    return found == m_pending.end() ? nullptr : &found->second;
}

void NcclPendingCollectives::forget(const std::string &address)
{
    const auto found = m_pending.find(address);
    if (found != m_pending.end())
        erase(found);
}

void NcclPendingCollectives::giveOutAll() const
{
    for (const auto &[address, collective] : m_pending)
        m_giveOut(collective);
}

void NcclPendingCollectives::makeRoomFor(const NcclPendingCollective &collective)
{
    const std::size_t bytes = pendingBytes(collective);
    while (!m_pending.empty()
           && (m_pending.size() >= MaximumPending || m_heldBytes + bytes > m_mostBytes)) {
        m_diagnostics.count(
            "too-many-pending", Severity::Warning, { m_file, collective.offset },
            "more collectives wait for their kernels than the import may hold: some were "
            "not tied to the kernels that come later. Import again with a larger "
            "--memory-limit (longpole import)");
        flush(m_pending.begin());
    }
}

void NcclPendingCollectives::flush(ByAddress::iterator collective)
{
    m_giveOut(collective->second);
    erase(collective);
}

void NcclPendingCollectives::erase(ByAddress::iterator collective)
{
    m_heldBytes -= pendingBytes(collective->second);
    m_pending.erase(collective);
}

} // namespace core
