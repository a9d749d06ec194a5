#include "core/import/stored_file.h"

#include "core/base/error.h"
#include "core/import/entry_reader.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

namespace core {

namespace fs = std::filesystem;

namespace {

    constexpr std::size_t BlockSize = std::size_t { 1 } << 20U;

    /// Closes a file descriptor at the end of its scope.
    class OpenFile
    {
    public:
        explicit OpenFile(int file)
            : m_file(file)
        {
        }
        ~OpenFile() { close(m_file); }
        OpenFile(const OpenFile &) = delete;
        OpenFile &operator=(const OpenFile &) = delete;

    private:
        int m_file;
    };

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
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "longpole-XXXXXX").string();
    const int file = error ? -1 : mkstemp(name.data());
    if (file < 0)
        failUnpacking(entry.name(), error ? error.message() : std::strerror(errno));
    const OpenFile closer(file);
    m_path = name;
    m_isTemporary = true;
    try {
        unpack(entry, diagnostics, file, control, freeBytesToLeave);
    } catch (...) { // the destructor does not run for what is not constructed
        remove();
        throw;
    }
}

StoredFile::~StoredFile()
{
    remove();
}

void StoredFile::remove()
{
    std::error_code ignored;
    if (m_isTemporary)
        fs::remove(m_path, ignored);
}

void StoredFile::unpack(BundleEntry &entry, Diagnostics &diagnostics, int file,
                        const JobControl &control, std::uint64_t freeBytesToLeave)
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
        writeAll(file, block.data(), count, entry.name());
    }
}

} // namespace core
