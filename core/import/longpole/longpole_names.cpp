#include "core/import/longpole/longpole_names.h"

#include "core/import/text/clean_text.h"

#include <utility>

namespace core {

namespace {

    /// About what a table takes for each, besides the bytes of a text.
    constexpr std::size_t BytesPerText = 96, BytesPerExternalId = 64;
    constexpr std::size_t BytesPerRecordedCommunicator
        = sizeof(collectors::CommunicatorRecord) + 64;

} // namespace

RecordedNames::RecordedNames(Diagnostics &diagnostics, std::string file, std::size_t mostBytes)
    : m_diagnostics(diagnostics)
    , m_file(std::move(file))
    , m_mostBytes(mostBytes)
{
}

void RecordedNames::add(const collectors::RecordView &record)
{
    switch (record.header.kind) {
    case collectors::RecordString:
        addText(record);
        break;
    case collectors::RecordExternalCorrelation: {
        const auto link = record.as<collectors::ExternalCorrelationRecord>();
        if (m_externalIds.contains(link.correlation)
            || (m_externalIds.size() < MaximumCorrelations && takeRoom(BytesPerExternalId)))
            m_externalIds[link.correlation] = link.externalId;
        else
            noteFull(record);
        break;
    }
    case collectors::RecordCommunicator: {
        const auto communicator = record.as<collectors::CommunicatorRecord>();
        const std::pair key { communicator.communicator, communicator.rank };
        if (m_communicators.contains(key)
            || (m_communicators.size() < MaximumCommunicators
                && takeRoom(BytesPerRecordedCommunicator)))
            m_communicators[key] = communicator;
        else
            noteFull(record);
        break;
    }
    default:
        break;
    }
}

void RecordedNames::addText(const collectors::RecordView &record)
{
    const auto bytes = record.after<collectors::StringRecord>();
    const std::uint64_t textBytes = m_textBytes + bytes.size();
    if (m_texts.size() >= MaximumTexts || textBytes > MaximumTextBytes
        || !takeRoom(bytes.size() + BytesPerText))
        return noteFull(record);
    m_textBytes = textBytes;
    // cleanString() undoes escapes, of which a recorded text has none.
    std::string escaped;
    for (const std::byte byte : bytes) {
        if (static_cast<char>(byte) == '\\')
            escaped += '\\';
        escaped += static_cast<char>(byte);
    }
    m_texts[record.as<collectors::StringRecord>().id] = cleanString(escaped);
}

bool RecordedNames::takeRoom(std::size_t sizeBytes)
{
    if (sizeBytes > m_mostBytes - m_heldBytes)
        return false;
    m_heldBytes += sizeBytes;
    return true;
}

void RecordedNames::noteFull(const collectors::RecordView &record)
{
    m_diagnostics.count("too-many-names", Severity::Error, { m_file, record.offset },
                        "more texts, external ids or communicators than the import may hold; "
                        "further ones were left out. Import again with a larger --memory-limit "
                        "(longpole import), or "
                        "record a shorter time");
}

const std::string &RecordedNames::text(std::uint32_t id) const
{
    static const std::string none;
    const auto found = m_texts.find(id);
    return found != m_texts.end() ? found->second : none;
}

std::uint64_t RecordedNames::externalId(std::uint64_t correlation) const
{
    const auto found = m_externalIds.find(correlation);
    return found != m_externalIds.end() ? found->second : 0;
}

const collectors::CommunicatorRecord *RecordedNames::communicator(std::uint64_t id,
                                                                  std::uint32_t rank) const
{
    const auto found = m_communicators.find({ id, rank });
    return found != m_communicators.end() ? &found->second : nullptr;
}

} // namespace core
