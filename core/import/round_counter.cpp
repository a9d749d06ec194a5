#include "core/import/round_counter.h"

#include "core/import/held_share.h"

#include <utility>

namespace core {

namespace {

    constexpr std::size_t BytesPerCountedTransfer = 96; ///< beside its name; about

} // namespace

RoundCounter::RoundCounter(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_mostBytes(heldShare(sink))
{
}

std::optional<std::uint64_t> RoundCounter::next(std::string_view transfer)
{
    const auto known = m_rounds.find(transfer);
    if (known != m_rounds.end())
        return ++known->second;
    const std::size_t size = BytesPerCountedTransfer + transfer.size();
    if (size > m_mostBytes - m_heldBytes) {
        m_sink.diagnostics().count(
            "too-many-transfers", Severity::Warning, { m_file, {} },
            "more different sends and receives than the import may hold: further ones are slices, "
            "but are not tied to their other end. Import again with a larger --memory-limit "
            "(longpole import), or "
            "record fewer steps in one trace");
        return std::nullopt;
    }
    m_heldBytes += size;
    return m_rounds.emplace(transfer, 0).first->second;
}

} // namespace core
