#pragma once

#include "collectors/format/record_ring.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace collectors {

/// Writes a recording. For one thread (the collector's writing thread). Never throws after
/// construction and never blocks but on the disk: after a failed write it says so once through
/// error() and writes nothing more.
///
/// A process that is killed leaves a file whose last record may be cut; readers leave it out.
class RecordFile
{
public:
    /// Creates the file, which must not exist, and writes magic and header into it. On failure
    /// isOpen() is false and error() says why.
    RecordFile(const std::string &path, const FileHeader &header);
    ~RecordFile();
    RecordFile(const RecordFile &) = delete;
    RecordFile &operator=(const RecordFile &) = delete;

    bool isOpen() const { return m_descriptor >= 0; }
    const std::string &error() const { return m_error; }

    /// A record that does not come through a ring: strings, clocks, layouts.
    void write(RecordKind kind, std::uint32_t threadId, std::span<const std::byte> payload,
               std::span<const std::byte> more = {});
    template <class Record>
    void write(RecordKind kind, std::uint32_t threadId, const Record &record)
    {
        write(kind, threadId, std::as_bytes(std::span(&record, 1)));
    }
    void writeString(std::uint32_t id, std::string_view text);
    /// Everything that is in the ring, then a Dropped record if it was full before.
    void drain(RecordRing &ring);
    /// Pairs of CLOCK_REALTIME with the other clocks of the host.
    void writeClockPairs();
    /// After the last record: clocks and End. The destructor only closes.
    void end();

private:
    void writeBytes(const void *data, std::size_t size);
    void fail(const char *what);

    std::string m_path, m_error;
    int m_descriptor = -1;
    std::vector<unsigned char> m_record; ///< scratch of write(); has its size from the start
};

/// What the process knows about itself: host, boot, process, and the rank as launchers give it
/// (RANK, WORLD_SIZE, LOCAL_RANK; OMPI_COMM_WORLD_*; PMI_*; SLURM_*).
FileHeader describeProcess(CollectorKind collector);

} // namespace collectors
