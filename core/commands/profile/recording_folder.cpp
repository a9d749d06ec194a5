#include "core/commands/profile/recording_folder.h"

#include "core/base/error.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace core {

namespace fs = std::filesystem;

namespace {

    void makeWritable(const fs::path &folder)
    {
        std::error_code error;
        fs::create_directories(folder, error);
        if (!fs::is_directory(folder))
            throw Error("The folder cannot be made: "
                            + (error ? error.message() : std::string("a file is in its place"))
                            + ". Choose another one with -o.",
                        { folder.string(), {} });
        if (::access(folder.c_str(), W_OK | X_OK) != 0)
            throw Error("The folder cannot be written to: " + std::generic_category().message(errno)
                            + ". Choose another one with -o.",
                        { folder.string(), {} });
    }

    /// -> descriptor. The kernel lets go of the claim when this process ends, however it ends.
    int claim(const fs::path &folder)
    {
        const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (descriptor < 0 || ::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            return descriptor;
        const bool isClaimed = errno == EWOULDBLOCK;
        ::close(descriptor);
        if (isClaimed)
            throw Error("Another job is being recorded into this folder: the two would mix. Choose "
                        "another one with -o, or, if it is the same job, add to it with --append.",
                        { folder.string(), {} });
        return -1;
    }

} // namespace

// Delegates, so that the claim is let go of where this throws.
RecordingFolder::RecordingFolder(const fs::path &folder, bool isShared)
    : RecordingFolder()
{
    makeWritable(folder);
    if (isShared)
        return;
    m_descriptor = claim(folder);
    if (!fs::is_empty(folder))
        throw Error("The folder is not empty: recordings of two runs would mix. Choose another "
                    "one, or add to it with --append.",
                    { folder.string(), {} });
}

RecordingFolder::~RecordingFolder()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

} // namespace core
