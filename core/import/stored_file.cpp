#include "core/import/stored_file.h"

#include "core/base/error.h"
#include "core/import/entry_reader.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace core {

namespace fs = std::filesystem;

namespace {

    constexpr std::size_t BlockSize = std::size_t { 1 } << 20U;

    constexpr std::string_view TemporaryPrefix = ".longpole-unpacked-";

    /// Removes what a killed program left: nobody holds its lock.
    void removeAbandoned(const fs::path &folder)
    {
        std::error_code ignored;
        for (const fs::directory_entry &entry : fs::directory_iterator(folder, ignored)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with(TemporaryPrefix) || !entry.is_regular_file(ignored))
                continue;
            const int file = open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
            if (file < 0) // another user's
                continue;
            if (flock(file, LOCK_EX | LOCK_NB) == 0)
                fs::remove(entry.path(), ignored);
            close(file);
        }
    }

    /// Between its creation and its lock another program may have taken it for abandoned.
    bool isStillThere(int file)
    {
        struct stat status
        {
        };
        return fstat(file, &status) == 0 && status.st_nlink > 0;
    }

    [[noreturn]] void failUnpacking(const std::string &name, const std::string &reason)
    {
        throw Error("cannot be unpacked into the folder for temporary files: " + reason
                        + ". Unpack it yourself and import the file, or set TMPDIR to a folder "
                          "with more room.",
                    { name, {} });
    }

    void writeAll(int file, const char *data, std::size_t size, const std::string &name)
    {
        while (size > 0) {
            const ssize_t written = write(file, data, size);
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                failUnpacking(name, std::strerror(errno));
            data += written;
            size -= static_cast<std::size_t>(written);
        }
    }

} // namespace

StoredFile::StoredFile(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control,
                       std::uint64_t freeBytesToLeave)
    : m_path(entry.plainFile())
{
    if (!m_path.empty())
        return;
    createTemporary(entry.name());
    try {
        unpack(entry, diagnostics, control, freeBytesToLeave);
    } catch (...) { // the destructor does not run for what is not constructed
        remove();
        throw;
    }
}

void StoredFile::createTemporary(const std::string &entryName)
{
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error)
        failUnpacking(entryName, error.message());
    removeAbandoned(folder);
    for (;;) {
        std::string name = (folder / TemporaryPrefix).string() + "XXXXXX";
        const int file = mkostemp(name.data(), O_CLOEXEC);
        if (file < 0)
            failUnpacking(entryName, std::strerror(errno));
        while (flock(file, LOCK_EX) != 0 && errno == EINTR) { }
        if (isStillThere(file)) {
            m_path = name;
            m_lockedFile = file;
            return;
        }
        close(file);
    }
}

StoredFile::~StoredFile()
{
    remove();
}

void StoredFile::remove()
{
    if (!isTemporary())
        return;
    std::error_code ignored;
    fs::remove(m_path, ignored);
    close(m_lockedFile);
    m_lockedFile = -1;
}

void StoredFile::unpack(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control,
                        std::uint64_t freeBytesToLeave)
{
    constexpr std::size_t BlocksBetweenChecks = 64;
    EntryReader reader(entry, diagnostics);
    std::vector<char> block(BlockSize);
    for (std::size_t blocks = 0;; ++blocks) {
        throwIfCancelled(control);
        if (blocks % BlocksBetweenChecks == 0) {
            std::error_code error;
            const fs::space_info space = fs::space(m_path, error);
            if (!error && space.available < freeBytesToLeave + BlocksBetweenChecks * BlockSize)
                failUnpacking(entry.name(), "the disk is nearly full");
            control.report(entry.progress(), "unpack " + entry.name());
        }
        const std::size_t count = reader.read(block);
        if (count == 0)
            return;
        writeAll(m_lockedFile, block.data(), count, entry.name());
    }
}

} // namespace core
