#include "core/bundle/zip_directory.h"

#include "core/base/error.h"
#include "core/bundle/shown_name.h"

#include <QFile>
#include <quazip/quazip.h>
#include <quazip/unzip.h>

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <string>

namespace core {

namespace {

    constexpr std::size_t LongestName = 0xffff; // the format's 16 bits

    [[noreturn]] void failListing(const std::filesystem::path &archive, const std::string &why)
    {
        throw Error("the zip archive's directory " + why
                        + ". Copy the archive again, or unpack it with another program and import "
                          "the folder.",
                    { shownPath(archive), std::nullopt });
    }

    /// Walks over the directory of an archive.
    class DirectoryWalk
    {
    public:
        explicit DirectoryWalk(const std::filesystem::path &archive)
            : m_archive(archive)
            , m_room(std::filesystem::file_size(archive))
            , m_zip(archive)
        {
        }

        std::vector<ZipMember> walk(const JobControl &control)
        {
            const unzFile file = m_zip->getUnzFile();
            const std::string stage = "list " + shownPath(m_archive);
            std::vector<ZipMember> members;
            int status = unzGoToFirstFile(file);
            for (; status == UNZ_OK; status = unzGoToNextFile(file)) {
                throwIfCancelled(control);
                control.report(0, stage);
                if (members.size() == zip::MostMembers)
                    failListing(m_archive,
                                "lists more than " + std::to_string(zip::MostMembers) + " files");
                std::optional<ZipMember> member = current(status);
                if (!member)
                    break;
                takeRoom(member->storedSize);
                members.push_back(std::move(*member));
            }
            // An archive without members ends before its first one.
            if (status != UNZ_END_OF_LIST_OF_FILE
                && !(members.empty() && m_zip->getEntriesCount() == 0))
                failListing(m_archive,
                            "is damaged after " + std::to_string(members.size()) + " files");
            return members;
        }

    private:
        /// Absent, and status set, if it is damaged.
        std::optional<ZipMember> current(int &status)
        {
            const unzFile file = m_zip->getUnzFile();
            unz_file_info64 info {};
            unz64_file_pos position {};
            status = unzGetCurrentFileInfo64(file, &info, m_name.data(), m_name.size(), nullptr, 0,
                                             nullptr, 0);
            if (status == UNZ_OK)
                status = unzGetFilePos64(file, &position);
            if (status != UNZ_OK)
                return std::nullopt;
            return ZipMember { std::string(m_name.data(), info.size_filename),
                               info.compressed_size,
                               { position.pos_in_zip_directory, position.num_of_file },
                               static_cast<std::uint32_t>(info.crc),
                               {} };
        }

        /// Members that share their bytes would be read, and unpacked, any number of times.
        void takeRoom(std::uint64_t storedSize)
        {
            if (storedSize > m_room)
                failListing(
                    m_archive,
                    "lists more bytes than the archive has: members overlap, or it was cut");
            m_room -= storedSize;
        }

        const std::filesystem::path &m_archive;
        std::uint64_t m_room; ///< bytes that no member has yet
        ZipDirectory m_zip;
        std::vector<char> m_name = std::vector<char>(LongestName + 1);
    };

} // namespace

// By a descriptor: QString holds no path that is not UTF-8, and another file would be opened, or
// none.
ZipDirectory::ZipDirectory(const std::filesystem::path &archive)
    : m_file(std::make_unique<QFile>())
{
    const int descriptor = ::open(archive.c_str(), O_RDONLY | O_CLOEXEC);
    const bool isOpen = descriptor >= 0
        && m_file->open(descriptor, QIODevice::ReadOnly, QFileDevice::AutoCloseHandle);
    if (descriptor >= 0 && !isOpen)
        ::close(descriptor);
    m_zip = std::make_unique<QuaZip>(m_file.get());
    if (!isOpen || !m_zip->open(QuaZip::mdUnzip))
        throw Error("the zip archive has no readable directory at its end: it was cut while it was "
                    "copied, or is damaged. Copy it again, or unpack it with another program and "
                    "import the folder.",
                    { shownPath(archive), std::nullopt });
}

ZipDirectory::~ZipDirectory() = default;

std::vector<ZipMember> listZipDirectory(const std::filesystem::path &archive,
                                        const JobControl &control)
{
    return DirectoryWalk(archive).walk(control);
}

} // namespace core
