#include "core/bundle/zip_archive.h"

#include "core/base/error.h"
#include "core/bundle/file_source.h"
#include "core/bundle/inflater.h"
#include "core/bundle/shown_name.h"
#include "core/bundle/zip_directory.h"

#include <quazip/quazip.h>
#include <quazip/unzip.h>

#include <algorithm>
#include <array>

namespace core {

namespace {

    /// As long as the paths of files may be; the format allows 64 KiB.
    constexpr std::size_t LongestShownName = 4096;

    constexpr std::size_t InputSize = std::size_t { 256 } * 1024;

    bool isHidden(const std::string &name)
    {
        return name.starts_with('.') || name.find("/.") != std::string::npos
            || name.starts_with("__MACOSX/");
    }

    /// What of a member's header its reading needs.
    struct MemberFacts
    {
        std::uint64_t method = 0;
        bool isEncrypted = false;
        std::uint64_t storedSize = 0;
        std::optional<std::uint64_t> size; ///< unpacked
        std::optional<std::uint32_t> crc;
    };

    /// Bytes of a member as they are stored.
    class StoredMember
    {
    public:
        virtual ~StoredMember() = default;
        const MemberFacts &facts() const { return m_facts; }
        std::uint64_t taken() const { return m_taken; }
        virtual bool open() = 0;
        /// 0 at the end, negative on damage.
        int read(std::span<char> buffer)
        {
            const int count = readPiece(buffer.first(std::min(buffer.size(), InputSize)));
            m_taken += static_cast<std::uint64_t>(std::max(count, 0));
            return count;
        }

    protected:
        virtual int readPiece(std::span<char> buffer) = 0;
        MemberFacts m_facts;

    private:
        std::uint64_t m_taken = 0;
    };

    /// A member that the directory lists. QuaZip's own reader inflates with zlib, finds members by
    /// name only and reads the whole directory to do so; what it is built on does neither.
    class ListedMember : public StoredMember
    {
    public:
        ListedMember(const std::filesystem::path &archive, const ZipPosition &position)
            : m_zip(archive)
        {
            const unz64_file_pos place { position.directoryOffset, position.number };
            unz_file_info64 info {};
            m_isFound = unzGoToFilePos64(m_zip->getUnzFile(), &place) == UNZ_OK
                && unzGetCurrentFileInfo64(m_zip->getUnzFile(), &info, nullptr, 0, nullptr, 0,
                                           nullptr, 0)
                    == UNZ_OK;
            m_facts = { info.compression_method, (info.flag & zip::EncryptedFlag) != 0,
                        info.compressed_size, info.uncompressed_size,
                        static_cast<std::uint32_t>(info.crc) };
        }
        ~ListedMember() override { unzCloseCurrentFile(m_zip->getUnzFile()); }
        ListedMember(const ListedMember &) = delete;
        ListedMember &operator=(const ListedMember &) = delete;

        bool open() override
        {
            int method = 0;
            constexpr int Raw = 1;
            return m_isFound
                && unzOpenCurrentFile2(m_zip->getUnzFile(), &method, nullptr, Raw) == UNZ_OK;
        }

    private:
        int readPiece(std::span<char> buffer) override
        {
            return unzReadCurrentFile(m_zip->getUnzFile(), buffer.data(),
                                      static_cast<unsigned>(buffer.size()));
        }

        ZipDirectory m_zip;
        bool m_isFound = false;
    };

    /// A member of an archive without a directory.
    class FoundMember : public StoredMember
    {
    public:
        FoundMember(const std::filesystem::path &archive, const ZipRecord &record)
            : m_file(archive)
        {
            m_facts
                = { record.method, record.isEncrypted, record.storedSize, record.size, record.crc };
            m_file.seekTo(record.dataOffset);
        }

        bool open() override { return true; }

    private:
        int readPiece(std::span<char> buffer) override
        {
            const std::uint64_t left = m_facts.storedSize - taken();
            return static_cast<int>(
                m_file.read(buffer.first(std::min<std::uint64_t>(buffer.size(), left))));
        }

        FileSource m_file;
    };

    std::unique_ptr<StoredMember> storedMember(const std::filesystem::path &archive,
                                               const ZipMember &member)
    {
        if (member.record)
            return std::make_unique<FoundMember>(archive, *member.record);
        return std::make_unique<ListedMember>(archive, member.position);
    }

    class ZipMemberSource : public ByteSource
    {
    public:
        ZipMemberSource(const std::filesystem::path &archive, const ZipMember &member)
            : m_name(shownPath(archive) + "/" + member.name)
            , m_member(storedMember(archive, member))
        {
            const MemberFacts &facts = m_member->facts();
            if (facts.isEncrypted)
                fail("is encrypted. Unpack the archive with its password and import the folder");
            m_isDeflated = facts.method == zip::Deflated;
            if (!m_isDeflated && facts.method != zip::Stored)
                fail("is compressed with method " + std::to_string(facts.method)
                     + " of the zip format, which is not read here. Unpack the archive with "
                       "another program and import the folder");
            if (!m_member->open())
                fail(Damaged);
            if (m_isDeflated)
                m_input.resize(InputSize);
        }

        std::size_t read(std::span<char> buffer) override
        {
            std::size_t given = 0;
            while (given < buffer.size() && !m_isAtEnd && m_failure.empty())
                given += m_isDeflated ? inflateInto(buffer.subspan(given))
                                      : copyInto(buffer.subspan(given));
            m_crc = continueCrc32(m_crc, buffer.first(given));
            m_given += given;
            if (m_isAtEnd)
                compareWithHeader();
            else if (m_failure.empty() && isInflationBomb(m_given, m_member->taken()))
                m_failure = InflationBombText;
            if (given == 0 && !buffer.empty() && !m_failure.empty())
                fail(m_failure);
            return given;
        }

        double progress() const override
        {
            const std::uint64_t size = m_member->facts().storedSize;
            return size == 0 ? 1.0
                             : static_cast<double>(m_member->taken()) / static_cast<double>(size);
        }

    private:
        static constexpr const char *Damaged = "is damaged inside the archive. What could be read "
                                               "before is kept; copy the archive again";

        std::size_t inflateInto(std::span<char> buffer)
        {
            std::size_t count = 0;
            const Inflater::Status status = m_inflater.inflateInto(buffer, count);
            m_isAtEnd = status == Inflater::Status::Ended;
            if (status == Inflater::Status::Damaged)
                m_failure = Damaged;
            else if (!m_isAtEnd && count < buffer.size() && m_inflater.input().empty())
                fillInput();
            return count;
        }

        void fillInput()
        {
            const int count = m_member->read(m_input);
            if (count <= 0)
                m_failure = Damaged;
            else
                m_inflater.setInput(std::span(m_input).first(static_cast<std::size_t>(count)));
        }

        std::size_t copyInto(std::span<char> buffer)
        {
            const int count = m_member->read(buffer);
            m_isAtEnd = count == 0;
            if (count < 0)
                m_failure = Damaged;
            return static_cast<std::size_t>(std::max(count, 0));
        }

        void compareWithHeader()
        {
            const MemberFacts &facts = m_member->facts();
            if (m_failure.empty()
                && (m_given != facts.size.value_or(m_given) || m_crc != facts.crc.value_or(m_crc)))
                m_failure = Damaged;
        }

        [[noreturn]] void fail(const std::string &what) const
        {
            throw Error(what + (what.ends_with('.') ? "" : "."), { m_name, m_given });
        }

        std::string m_name;
        std::unique_ptr<StoredMember> m_member;
        std::vector<char> m_input; ///< of a deflated member
        Inflater m_inflater { Inflater::Format::Raw };
        std::uint64_t m_given = 0; ///< unpacked bytes
        std::uint32_t m_crc = 0; ///< of the bytes given
        std::string m_failure; ///< set when damage was met; thrown by the next read
        bool m_isDeflated = false;
        bool m_isAtEnd = false;
    };

    std::vector<ZipMember> findMembers(const std::filesystem::path &archive,
                                       const JobControl &control)
    {
        std::vector<ZipMember> members;
        for (ZipRecord &record : walkZipRecords(archive, control)) {
            const std::string name = record.storedName;
            members.push_back({ name, record.storedSize, {}, record.crc, std::move(record) });
        }
        return members;
    }

    /// Files that are shown, under names that can be.
    std::vector<ZipMember> withSafeNames(std::vector<ZipMember> members)
    {
        NamesTaken names;
        std::vector<ZipMember> shown;
        for (ZipMember &member : members) {
            const std::string safe = safeMemberName(member.name);
            if (member.name.ends_with('/') || isHidden(safe))
                continue;
            member.name = names.unique(safe);
            shown.push_back(std::move(member));
        }
        return shown;
    }

    /// The directory's end and nothing else; the library takes one at the very beginning for none.
    bool isEmptyArchive(const std::filesystem::path &archive)
    {
        constexpr std::size_t CountOffset = 10; // of two bytes
        std::array<char, CountOffset + 2> head {};
        FileSource file(archive);
        return file.read(head) == head.size() && head[2] == 5 && isZip(head)
            && head[CountOffset] == 0 && head[CountOffset + 1] == 0;
    }

} // namespace

bool isZip(std::span<const char> head)
{
    return head.size() >= 4 && head[0] == 'P' && head[1] == 'K'
        && ((head[2] == 3 && head[3] == 4) || (head[2] == 5 && head[3] == 6));
}

std::string safeMemberName(std::string_view stored)
{
    // Archives without the format's UTF-8 mark hold bytes of any code page.
    std::string text = shownName(stored);
    std::replace(text.begin(), text.end(), '\\', '/');
    if (text.size() >= 2 && text[1] == ':')
        text.erase(0, 2);
    std::string name;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('/', begin), text.size());
        const std::string_view part(text.data() + begin, end - begin);
        if (!part.empty() && part != "." && part != "..")
            name.append(name.empty() ? "" : "/").append(part);
        begin = end + 1;
    }
    if (name.size() > LongestShownName) { // the end tells the rank and the format
        std::size_t begin = name.size() - LongestShownName;
        while (begin < name.size() && (static_cast<unsigned char>(name[begin]) & 0xc0U) == 0x80U)
            ++begin; // in the middle of a character
        name = "\u2026" + name.substr(begin); // dots would make it a hidden file
    }
    return name.empty() ? "unnamed" : name;
}

ZipListing listZip(const std::filesystem::path &archive, const JobControl &control)
{
    if (isEmptyArchive(archive))
        return {};
    try {
        return { withSafeNames(listZipDirectory(archive, control)), {} };
    } catch (const Error &error) {
        ZipListing found { withSafeNames(findMembers(archive, control)), error.message() };
        if (found.members.empty())
            throw;
        return found;
    }
}

std::unique_ptr<ByteSource> openZipMember(const std::filesystem::path &archive,
                                          const ZipMember &member)
{
    return std::make_unique<ZipMemberSource>(archive, member);
}

} // namespace core
