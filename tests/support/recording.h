#pragma once

#include "collectors/format/record_ring.h"

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

/// A recording in memory, record by record.
class Recording
{
public:
    Recording() { m_bytes.assign(LONGPOLE_FILE_MAGIC, sizeof(LONGPOLE_FILE_MAGIC) - 1); }

    template <class Record>
    Recording &add(collectors::RecordKind kind, const Record &record, std::uint32_t thread = 0,
                   std::string_view more = {})
    {
        std::string payload(reinterpret_cast<const char *>(&record), sizeof(record));
        return addBytes(kind, payload.append(more), thread);
    }
    Recording &addBytes(collectors::RecordKind kind, std::string_view payload,
                        std::uint32_t thread = 0)
    {
        std::vector<unsigned char> bytes(collectors::recordSize(payload.size()));
        collectors::RecordHeader header {};
        header.marker = collectors::LongpoleMarker;
        header.payloadBytes = static_cast<std::uint16_t>(payload.size());
        header.threadId = thread;
        header.kind = static_cast<std::uint8_t>(kind);
        std::memcpy(bytes.data(), &header, sizeof(header));
        if (!payload.empty())
            std::memcpy(bytes.data() + sizeof(header), payload.data(), payload.size());
        collectors::sealRecord(bytes.data());
        m_offsets.push_back(m_bytes.size());
        m_bytes.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        return *this;
    }
    Recording &addString(std::uint32_t id, std::string_view text)
    {
        return add(collectors::RecordString, collectors::StringRecord { id, 0 }, 0, text);
    }
    Recording &addHeader(std::uint32_t collector)
    {
        collectors::FileHeader header {};
        header.majorVersion = LONGPOLE_MAJOR_VERSION;
        header.collector = collector;
        header.flags = collectors::FileHasRank | collectors::FileHasWorldSize;
        header.rank = 3;
        header.worldSize = 8;
        header.processId = 500;
        std::strcpy(header.hostName, "node1");
        return add(collectors::RecordFileHeader, header);
    }

    const std::string &bytes() const { return m_bytes; }
    /// Where each record begins, and the end.
    std::vector<std::size_t> boundaries() const
    {
        std::vector<std::size_t> all = m_offsets;
        all.push_back(m_bytes.size());
        return all;
    }

private:
    std::string m_bytes;
    std::vector<std::size_t> m_offsets;
};

} // namespace tests
