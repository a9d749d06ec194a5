#pragma once

#include "collectors/format/record_ring.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace collectors {

/// Writes a recording. For one thread (the collector's writing thread). Never throws after
/// construction and never blocks but on the disk: after a failed write it says so once through
/// error() and writes nothing more. No signal is raised for it, and a descriptor that the program
/// has closed, and perhaps opened something else as, is left alone.
///
/// A process that is killed leaves a file whose last record may be cut; readers leave it out.
class RecordFile
{
public:
    /// Creates the file, which must not exist, and writes magic and header into it. On failure
    /// isOpen() is false, error() says why, and there is no file that was not there before.
    RecordFile(const std::string &path, const FileHeader &header);
    ~RecordFile();
    RecordFile(const RecordFile &) = delete;
    RecordFile &operator=(const RecordFile &) = delete;

    bool isOpen() const { return m_descriptor >= 0; }
    const std::string &error() const { return m_error; }
    /// It is not open because there was a file of that name.
    bool wasThere() const { return m_wasThere; }

    /// A record that does not come through a ring: strings, clocks, layouts.
    void write(RecordKind kind, std::uint32_t threadId, std::span<const std::byte> payload,
               std::span<const std::byte> more = {});
    template <class Record>
    void write(RecordKind kind, std::uint32_t threadId, const Record &record)
    {
        write(kind, threadId, std::as_bytes(std::span(&record, 1)));
    }
    void writeString(std::uint32_t id, std::string_view text);
    /// What is in the ring, then a Dropped record if it was full before. What comes meanwhile may
    /// be left for the next call: a thread that records without end does not keep this one.
    void drain(RecordRing &ring);
    /// Pairs of CLOCK_REALTIME with the other clocks of the host.
    void writeClockPairs();
    /// After the last record: clocks and End. The destructor only closes.
    void end();

private:
    void create();
    void writeBytes(const void *data, std::size_t size);
    bool isOwnDescriptor() const noexcept;
    void fail(const char *what, int error);

    std::string m_path, m_error;
    const char *m_onFullDisk = "cannot be written"; ///< until it has its header
    int m_descriptor = -1;
    std::uint64_t m_inode = 0; ///< of the file; 0: the system does not say
    bool m_wasThere = false;
    std::vector<unsigned char> m_record; ///< scratch of write(); has its size from the start
};

/// What the process knows about itself: host, boot, process, and the rank as launchers give it
/// (RANK, WORLD_SIZE, LOCAL_RANK; OMPI_COMM_WORLD_*; PMI_*; SLURM_*).
FileHeader describeProcess(CollectorKind collector);

} // namespace collectors
