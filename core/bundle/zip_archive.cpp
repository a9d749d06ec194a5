#include "core/bundle/zip_archive.h"

#include "core/base/error.h"

#include <QString>
#include <quazip/quazip.h>
#include <quazip/quazipfile.h>

#include <algorithm>

namespace core {

namespace {

    QString toQString(const std::string &text)
    {
        return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    }

    bool isHidden(const std::string &name)
    {
        return name.starts_with('.') || name.find("/.") != std::string::npos
            || name.starts_with("__MACOSX/");
    }

    void openArchive(QuaZip &zip, const std::filesystem::path &archive)
    {
        if (!zip.open(QuaZip::mdUnzip))
            throw Error("the zip archive cannot be read (QuaZip error "
                            + std::to_string(zip.getZipError())
                            + "): it is damaged or was cut while it was copied. Copy it again, or "
                              "unpack it with another program and import the folder.",
                        { archive.string(), std::nullopt });
    }

    class ZipMemberSource : public ByteSource
    {
    public:
        ZipMemberSource(const std::filesystem::path &archive, const std::string &member)
            : m_name(archive.string() + "/" + member)
            , m_zip(toQString(archive.string()))
            , m_file(&m_zip)
        {
            openArchive(m_zip, archive);
            if (!m_zip.setCurrentFile(toQString(member)))
                fail("is no longer in the archive");
            QuaZipFileInfo64 info;
            if (!m_file.getFileInfo(&info))
                fail("has no readable entry in the archive's directory");
            if (info.isEncrypted())
                fail("is encrypted. Unpack the archive with its password and import the folder");
            m_size = info.uncompressedSize;
            if (!m_file.open(QIODevice::ReadOnly))
                fail("cannot be unpacked (QuaZip error " + std::to_string(m_file.getZipError())
                     + "). Unpack the archive with another program and import the folder");
        }

        std::size_t read(std::span<char> buffer) override
        {
            if (m_isAtEnd || buffer.empty())
                return 0;
            const qint64 count = m_file.read(buffer.data(), static_cast<qint64>(buffer.size()));
            if (count < 0 || (count == 0 && m_position < m_size))
                fail(Damaged);
            m_position += static_cast<std::uint64_t>(count);
            if (count == 0)
                finish();
            return static_cast<std::size_t>(count);
        }

        double progress() const override
        {
            return m_size == 0 ? 1.0
                               : static_cast<double>(m_position) / static_cast<double>(m_size);
        }

    private:
        static constexpr const char *Damaged = "is damaged inside the archive. Copy the archive "
                                               "again";

        /// The checksum is only compared when the member is closed.
        void finish()
        {
            m_isAtEnd = true;
            m_file.close();
            if (m_file.getZipError() != UNZ_OK)
                fail(Damaged);
        }

        [[noreturn]] void fail(const std::string &what) const
        {
            throw Error(what + ".", { m_name, m_position });
        }

        std::string m_name;
        QuaZip m_zip;
        QuaZipFile m_file;
        std::uint64_t m_size = 0; ///< unpacked bytes, as the directory states them
        std::uint64_t m_position = 0;
        bool m_isAtEnd = false;
    };

} // namespace

bool isZip(std::span<const char> head)
{
    return head.size() >= 4 && head[0] == 'P' && head[1] == 'K'
        && ((head[2] == 3 && head[3] == 4) || (head[2] == 5 && head[3] == 6));
}

std::vector<ZipMember> listZip(const std::filesystem::path &archive)
{
    QuaZip zip(toQString(archive.string()));
    openArchive(zip, archive);
    std::vector<ZipMember> members;
    for (const QuaZipFileInfo64 &info : zip.getFileInfoList64()) {
        const std::string name = info.name.toStdString();
        if (!name.ends_with('/') && !isHidden(name))
            members.push_back({ name, info.compressedSize });
    }
    return members;
}

std::unique_ptr<ByteSource> openZipMember(const std::filesystem::path &archive,
                                          const std::string &member)
{
    return std::make_unique<ZipMemberSource>(archive, member);
}

} // namespace core
