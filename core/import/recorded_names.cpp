#include "core/import/recorded_names.h"

#include "core/import/clean_text.h"

namespace core {

RecordedNames::RecordedNames(Diagnostics &diagnostics, std::string file)
    : m_diagnostics(diagnostics)
    , m_file(std::move(file))
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
        if (m_externalIds.size() < MaximumCorrelations)
            m_externalIds[link.correlation] = link.externalId;
        else
            noteFull(record);
        break;
    }
    case collectors::RecordCommunicator: {
        const auto communicator = record.as<collectors::CommunicatorRecord>();
        if (m_communicators.size() < MaximumCommunicators)
            m_communicators[communicator.communicator] = communicator;
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
    if (m_texts.size() >= MaximumTexts || m_textBytes + bytes.size() > MaximumTextBytes)
        return noteFull(record);
    m_textBytes += bytes.size();
    // cleanString() undoes escapes, of which a recorded text has none.
    std::string escaped;
    for (const std::byte byte : bytes) {
        if (static_cast<char>(byte) == '\\')
            escaped += '\\';
        escaped += static_cast<char>(byte);
    }
    m_texts[record.as<collectors::StringRecord>().id] = cleanString(escaped);
}

void RecordedNames::noteFull(const collectors::RecordView &record)
{
    m_diagnostics.count("too-many-names", Severity::Error, { m_file, record.offset },
                        "more than a million texts (or 64 MiB of them), 8 million external ids or "
                        "100000 communicators; further ones were left out. Record a shorter time");
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

const collectors::CommunicatorRecord *RecordedNames::communicator(std::uint64_t id) const
{
    const auto found = m_communicators.find(id);
    return found != m_communicators.end() ? &found->second : nullptr;
}

} // namespace core
