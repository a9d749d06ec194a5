#include "collectors/nccl/contexts.h"

namespace collectors {

std::optional<std::uint64_t> Contexts::add(const Context &context) noexcept
{
    auto slot = m_pool.createBesideOpen();
    if (!slot)
        return std::nullopt;
    *slot = context;
    return slot.number();
}

void Contexts::finish(std::uint64_t number) noexcept
{
    if (auto slot = m_pool.open(number))
        slot->isFinished = true;
}

bool Contexts::isFinished(std::uint64_t number) noexcept
{
    const auto slot = m_pool.open(number);
    return !slot || slot->isFinished;
}

std::optional<Contexts::Context> Contexts::contextOf(std::uint64_t number,
                                                     const ProfilerEvent &event) noexcept
{
    const auto slot = m_pool.open(number);
    if (!slot)
        return std::nullopt;
    if (slot->communicator == 0 && event.communicator != 0) {
        slot->communicator = event.communicator;
        slot->name = m_recording.texts().idOfName(event.communicatorName);
        slot->rank = static_cast<std::uint32_t>(event.rank);
    }
    return *slot;
}

bool Contexts::write(RecordOutput &output, bool mayForget) noexcept
{
    bool hasForgotten = false;
    for (std::size_t place = 0; place < m_pool.usedPlaces(); ++place) {
        auto slot = m_pool.openAt(place);
        if (!slot)
            continue;
        if (!slot->isWritten && slot->communicator != 0) {
            output.put(RecordCommunicator, 0,
                       CommunicatorRecord { slot->communicator, slot->name, slot->rank,
                                            slot->rankCount, slot->nodeCount, slot->device, 0 });
            slot->isWritten = true;
        }
        if (slot->isFinished && mayForget) {
            slot.close();
            hasForgotten = true;
        }
    }
    return hasForgotten;
}

} // namespace collectors
