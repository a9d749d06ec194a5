#include "collectors/format/record_file.h"

#include "collectors/format/signal_guard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace collectors {

namespace {

    std::int64_t readClock(clockid_t clock)
    {
        timespec now {};
        clock_gettime(clock, &now);
        return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    }

    /// The first line of a small file; "" if there is none.
    template <std::size_t Size>
    void readLine(const char *path, char (&text)[Size])
    {
        std::FILE *file = std::fopen(path, "re");
        if (file == nullptr)
            return;
        if (std::fgets(text, Size, file) == nullptr)
            text[0] = '\0';
        text[std::strcspn(text, "\n")] = '\0';
        std::fclose(file);
    }

    /// The first of the environment variables that is a number.
    bool readNumber(std::initializer_list<const char *> names, std::uint32_t &number)
    {
        for (const char *name : names) {
            const char *text = std::getenv(name);
            if (text == nullptr || *text < '0' || *text > '9')
                continue;
            char *end = nullptr;
            errno = 0;
            const unsigned long value = std::strtoul(text, &end, 10);
            if (errno != 0 || *end != '\0' || value > 0x7FFFFFFFUL)
                continue;
            number = static_cast<std::uint32_t>(value);
            return true;
        }
        return false;
    }

} // namespace

RecordFile::RecordFile(const std::string &path, const FileHeader &header)
    : m_path(path)
    , m_record(recordSize(LongpoleMaximumPayload))
{
    create();
    if (m_descriptor < 0)
        return;
    writeBytes(LONGPOLE_FILE_MAGIC, sizeof(LONGPOLE_FILE_MAGIC) - 1);
    write(RecordFileHeader, 0, header);
    writeClockPairs();
    if (m_descriptor < 0)
        ::unlink(m_path.c_str()); // of a full disk: nothing is in it
    m_onFullDisk = "cannot be written further; what is in it can be read";
}

void RecordFile::create()
{
    m_descriptor = ::open(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    m_wasThere = m_descriptor < 0 && errno == EEXIST;
    // A program that has closed its standard output would print into the recording.
    if (m_descriptor >= 0 && m_descriptor <= STDERR_FILENO) {
        const int low = m_descriptor;
        m_descriptor = ::fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        const int error = errno;
        ::close(low);
        errno = error;
    }
    if (m_descriptor < 0)
        return fail("cannot be created", errno);
    struct statx about = {};
    if (statx(m_descriptor, "", AT_EMPTY_PATH, STATX_INO, &about) == 0)
        m_inode = about.stx_ino;
}

RecordFile::~RecordFile()
{
    if (m_descriptor >= 0 && isOwnDescriptor())
        ::close(m_descriptor);
}

/// Programs that close all descriptors (daemons) may have opened another file as ours. Asked of the
/// system without a question to a file server.
bool RecordFile::isOwnDescriptor() const noexcept
{
    if (m_inode == 0)
        return true;
    struct statx about = {};
    if (statx(m_descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &about) != 0)
        return errno != EBADF;
    return about.stx_ino == m_inode;
}

void RecordFile::write(RecordKind kind, std::uint32_t threadId, std::span<const std::byte> payload,
                       std::span<const std::byte> more)
{
    const std::size_t payloadBytes = payload.size() + more.size();
    if (payloadBytes > LongpoleMaximumPayload)
        return; // what callers build themselves is smaller; see records.h
    const std::size_t size = recordSize(payloadBytes);
    std::fill_n(m_record.begin(), size, static_cast<unsigned char>(0));
    RecordHeader header {};
    header.marker = LongpoleMarker;
    header.payloadBytes = static_cast<std::uint16_t>(payloadBytes);
    header.threadId = threadId;
    header.kind = static_cast<std::uint8_t>(kind);
    std::memcpy(m_record.data(), &header, sizeof(header));
    std::memcpy(m_record.data() + sizeof(header), payload.data(), payload.size());
    if (!more.empty())
        std::memcpy(m_record.data() + sizeof(header) + payload.size(), more.data(), more.size());
    sealRecord(m_record.data());
    writeBytes(m_record.data(), size);
}

void RecordFile::writeString(std::uint32_t id, std::string_view text)
{
    const StringRecord record { id, 0 };
    text = text.substr(0, LongpoleMaximumPayload - sizeof(record));
    write(RecordString, 0, std::as_bytes(std::span(&record, 1)),
          std::as_bytes(std::span(text.data(), text.size())));
}

void RecordFile::drain(RecordRing &ring)
{
    // At least what was there at the beginning, and no more than twice what it can hold.
    std::size_t left = ring.capacity();
    for (auto records = ring.acquire(); !records.empty(); records = ring.acquire()) {
        writeBytes(records.data(), records.size());
        ring.release();
        if (records.size() >= left)
            break;
        left -= records.size();
    }
    if (const std::uint64_t dropped = ring.takeDropped())
        write(RecordDropped, 0, DroppedRecord { readClock(CLOCK_REALTIME), dropped });
}

void RecordFile::writeClockPairs()
{
    for (const ClockId other : { ClockMonotonic, ClockMonotonicRaw, ClockBoottime }) {
        const std::int64_t before = readClock(CLOCK_REALTIME);
        const std::int64_t between = readClock(static_cast<clockid_t>(other));
        const std::int64_t after = readClock(CLOCK_REALTIME);
        const std::int64_t half = (after - before) / 2;
        const ClockPair pair { ClockRealtime,
                               static_cast<std::uint32_t>(other),
                               before + half,
                               between,
                               0,
                               static_cast<std::uint32_t>(
                                   std::clamp<std::int64_t>(half + 1, 0, 0xFFFFFFFF)) };
        write(RecordClockPair, 0, pair);
    }
}

void RecordFile::end()
{
    writeClockPairs();
    write(RecordEnd, 0, EndRecord { readClock(CLOCK_REALTIME) });
}

void RecordFile::writeBytes(const void *data, std::size_t size)
{
    if (m_descriptor < 0)
        return;
    if (!isOwnDescriptor()) {
        m_descriptor = -1;
        return fail("was closed by the program; what is in it can be read", EBADF);
    }
    const SignalGuard signalGuard(SIGXFSZ); // beyond `ulimit -f`
    const auto *bytes = static_cast<const char *>(data);
    while (size > 0) {
        const ssize_t written = ::write(m_descriptor, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fail(m_onFullDisk, written < 0 ? errno : ENOSPC);
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
}

void RecordFile::fail(const char *what, int error)
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    m_descriptor = -1;
    try {
        if (m_error.empty())
            m_error = m_path + " " + what + ": " + std::strerror(error);
    } catch (...) { // no memory: isOpen() says enough
    }
}

FileHeader describeProcess(CollectorKind collector)
{
    FileHeader header {};
    header.majorVersion = LONGPOLE_MAJOR_VERSION;
    header.minorVersion = LONGPOLE_MINOR_VERSION;
    header.collector = static_cast<std::uint32_t>(collector);
    if (readNumber({ "RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID" }, header.rank))
        header.flags |= FileHasRank;
    if (readNumber({ "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS" },
                   header.worldSize))
        header.flags |= FileHasWorldSize;
    if (readNumber({ "LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID" },
                   header.localRank))
        header.flags |= FileHasLocalRank;
    header.processId = static_cast<std::uint32_t>(getpid());
    gethostname(header.hostName, sizeof(header.hostName) - 1);
    readLine("/proc/sys/kernel/random/boot_id", header.bootId);
    readLine("/proc/self/comm", header.processName);
    return header;
}

} // namespace collectors
