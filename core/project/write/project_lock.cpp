#include "core/project/write/project_lock.h"

#include "core/base/error.h"
#include "core/base/link_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace core {

namespace {

    namespace fs = std::filesystem;

    /// The file's first line; two more name the process and its host.
    constexpr std::string_view LockTitle = "Longpole import\n";
    constexpr std::size_t MostLockBytes = 512;
    constexpr int MostLockAttempts = 100; ///< each other one lost against an import that ended

    /// Links are followed: a project has one lock, whatever it is called.
    fs::path lockFileOf(const fs::path &project)
    {
        const fs::path target = linkTarget(project);
        std::error_code unreadable;
        fs::path place = fs::weakly_canonical(target, unreadable);
        if (unreadable)
            place = target;
        place += ".lock";
        return place;
    }

    class LockDescriptor
    {
    public:
        LockDescriptor(const fs::path &file, int flags)
            : m_descriptor(::open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666))
        {
        }
        ~LockDescriptor()
        {
            if (isOpen())
                ::close(m_descriptor);
        }
        LockDescriptor(const LockDescriptor &) = delete;
        LockDescriptor &operator=(const LockDescriptor &) = delete;
        bool isOpen() const { return m_descriptor >= 0; }
        int get() const { return m_descriptor; }
        int release() { return std::exchange(m_descriptor, -1); }

    private:
        int m_descriptor;
    };

    /// Of the open file, not of the process: two imports of one process exclude each other, too.
    struct flock wholeFile(short type)
    {
        struct flock lock = {};
        lock.l_type = type;
        lock.l_whence = SEEK_SET;
        return lock;
    }

    std::string contentOf(int descriptor)
    {
        std::array<char, MostLockBytes> bytes {};
        const ssize_t size = ::pread(descriptor, bytes.data(), bytes.size(), 0);
        return { bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)) };
    }

    /// Anybody may have written the file: what is no number or not printable is left out.
    ProjectImporter importerFrom(std::string_view content)
    {
        ProjectImporter importer;
        if (!content.starts_with(LockTitle))
            return importer;
        content.remove_prefix(LockTitle.size());
        const char *end = content.data() + content.size();
        const auto number = std::from_chars(content.data(), end, importer.process);
        if (number.ec != std::errc() || importer.process <= 0)
            return {};
        const std::string_view rest(number.ptr, static_cast<std::size_t>(end - number.ptr));
        for (const char c : rest.substr(0, rest.find('\n', 1)))
            if (c > ' ' && c <= '~')
                importer.host += c;
        return importer;
    }

    std::string ownContent()
    {
        std::array<char, 256> host {};
        if (::gethostname(host.data(), host.size() - 1) != 0)
            host.fill('\0');
        return std::string(LockTitle) + std::to_string(::getpid()) + "\n" + host.data() + "\n";
    }

    bool isStill(const fs::path &file, int descriptor)
    {
        struct stat named = {}, open = {};
        return ::lstat(file.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0
            && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
    }

    [[noreturn]] void failImporting(const fs::path &project, const ProjectImporter &importer)
    {
        throw Error("another import into this project is running (" + importer.text()
                        + "). Wait until it has ended, then add to the project with longpole "
                          "import --append; if that process is gone, import again",
                    { project.string(), {} });
    }

    [[noreturn]] void failLocking(const fs::path &project, const fs::path &file, int code)
    {
        if (code == ENOENT)
            throw Error("the project cannot be written: there is no folder "
                            + file.parent_path().string()
                            + ". Create it, or name a file in another one",
                        { project.string(), {} });
        const bool isFull = code == ENOSPC || code == EDQUOT || code == EFBIG;
        throw Error("cannot write the file that keeps other imports out of this project, "
                        + file.string() + ": " + std::generic_category().message(code)
                        + (isFull ? ". Free some space on the disk, or write the project to "
                                    "another one."
                                  : ". Check that the folder exists and that you may write to "
                                    "it."),
                    { project.string(), {} });
    }

    /// The file is nobody else's: empty, or what an import wrote.
    void checkIsOurs(const fs::path &project, const fs::path &file, int descriptor)
    {
        struct stat status = {};
        const bool isFile = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
        const std::string content = isFile ? contentOf(descriptor) : std::string();
        if (!isFile
            || (!content.empty() && !content.starts_with(LockTitle.substr(0, content.size()))))
            throw Error("the file " + file.string()
                            + " is in the way: its name is needed to keep other imports out of "
                              "this project. Move it away, or choose another name for the "
                              "project",
                        { project.string(), {} });
    }

} // namespace

std::string ProjectImporter::text() const
{
    if (process == 0)
        return "another process";
    return "process " + std::to_string(process) + (host.empty() ? "" : " on " + host);
}

ProjectLock::ProjectLock(const fs::path &project)
    : m_file(lockFileOf(project))
{
    for (int attempt = 1; m_descriptor < 0; ++attempt) {
        LockDescriptor file(m_file, O_RDWR | O_CREAT);
        if (!file.isOpen())
            failLocking(project, m_file, errno);
        checkIsOurs(project, m_file, file.get());
        struct flock lock = wholeFile(F_WRLCK);
        if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) {
            if (errno != EAGAIN && errno != EACCES)
                failLocking(project, m_file, errno);
            failImporting(project, importerFrom(contentOf(file.get())));
        }
        // The import that had it may have removed the file between opening and locking it.
        if (isStill(m_file, file.get()))
            m_descriptor = file.release();
        else if (attempt == MostLockAttempts)
            failImporting(project, {});
    }
    const std::string content = ownContent();
    const bool isWritten = ::ftruncate(m_descriptor, 0) == 0
        && ::pwrite(m_descriptor, content.data(), content.size(), 0)
            == static_cast<ssize_t>(content.size());
    if (!isWritten) {
        const int code = errno;
        ::unlink(m_file.c_str());
        ::close(m_descriptor);
        failLocking(project, m_file, code);
    }
}

ProjectLock::~ProjectLock()
{
    // While it is locked: see isStill(). Somebody may have removed it, and another import locked a
    // new one.
    if (isStill(m_file, m_descriptor))
        ::unlink(m_file.c_str());
    ::close(m_descriptor);
}

std::optional<ProjectImporter> importerOf(const fs::path &project)
{
    const LockDescriptor file(lockFileOf(project), O_RDONLY);
    struct flock lock = wholeFile(F_RDLCK);
    if (!file.isOpen() || ::fcntl(file.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
        return std::nullopt;
    return importerFrom(contentOf(file.get()));
}

} // namespace core
