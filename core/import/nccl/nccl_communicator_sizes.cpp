#include "core/import/nccl/nccl_communicator_sizes.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MostSizedCommunicators = 100'000; ///< whatever the memory
    constexpr std::size_t BytesPerSize = 96; ///< about, without the name

} // namespace

NcclCommunicatorSizes::NcclCommunicatorSizes(Diagnostics &diagnostics, std::string file,
                                             std::size_t mostBytes)
    : m_diagnostics(diagnostics)
    , m_file(std::move(file))
    , m_mostBytes(mostBytes)
{
}

int NcclCommunicatorSizes::note(const std::string &communicator, std::optional<int> size)
{
    const auto known = m_sizes.find(communicator);
    if (known != m_sizes.end())
        return known->second = std::max(known->second, size.value_or(0));
    if (!size)
        return 0;
    const std::size_t bytes = BytesPerSize + communicator.size();
    if (m_sizes.size() < MostSizedCommunicators && m_heldBytes + bytes <= m_mostBytes) {
        m_heldBytes += bytes;
        m_sizes.emplace(communicator, *size);
    } else {
        m_diagnostics.count(
            "too-many-communicators", Severity::Warning, { m_file, {} },
            "the file has more communicators than the import may hold: of further ones it "
            "is not known how many ranks they have. Import again with a larger "
            "--memory-limit (longpole import); or the file is damaged, record again");
    }
    return *size;
}

int NcclCommunicatorSizes::of(const std::string &communicator) const
{
    const auto known = m_sizes.find(communicator);
    return known == m_sizes.end() ? 0 : known->second;
}

} // namespace core
