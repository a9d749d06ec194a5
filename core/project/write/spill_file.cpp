#include "core/project/write/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace core {

namespace {

    /// A descriptor of a file that has no name, or had it for a moment where the file system knows
    /// no such files; -1 if that fails.
    int createUnnamed(const std::filesystem::path &folder)
    {
        const int unnamed = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (unnamed >= 0)
            return unnamed;
        std::string name = (folder / ".longpole-import-XXXXXX").string();
        const int file = mkstemp(name.data());
        if (file >= 0)
            unlink(name.c_str());
        return file;
    }

    std::string adviceFor(int code)
    {
        if (code == ENOSPC || code == EDQUOT || code == EFBIG)
            return " The disk is full, or the file as large as is allowed.";
        return "";
    }

} // namespace

SpillFile::SpillFile(const std::filesystem::path &folder)
    : m_folder(folder)
    , m_file(createUnnamed(folder))
{
    if (m_file < 0)
        fail("cannot be created");
}

SpillFile::~SpillFile()
{
    close(m_file);
}

SpillExtent SpillFile::append(ByteSpan bytes)
{
    const SpillExtent extent { m_size, bytes.size() };
    while (!bytes.empty()) {
        const ssize_t written
            = pwrite(m_file, bytes.data(), bytes.size(), static_cast<off_t>(m_size));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            fail("cannot be written");
        m_size += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return extent;
}

void SpillFile::read(const SpillExtent &extent, ByteBuffer &bytes)
{
    bytes.resize(extent.size);
    for (std::size_t done = 0; done < extent.size;) {
        const ssize_t got = pread(m_file, bytes.data() + done, extent.size - done,
                                  static_cast<off_t>(extent.offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            fail("cannot be read");
        done += static_cast<std::size_t>(got);
    }
}

void SpillFile::fail(const char *what) const
{
    const int code = errno;
    throw Error("the temporary file that holds what exceeds --memory-limit " + std::string(what)
                    + ": " + std::generic_category().message(code) + "." + adviceFor(code)
                    + " Free space there, or give a larger --memory-limit (longpole import).",
                { m_folder.string(), {} });
}

} // namespace core
