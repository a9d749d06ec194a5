#include "core/bundle/zip_records.h"

#include "core/bundle/file_source.h"
#include "core/bundle/inflater.h"
#include "core/bundle/shown_name.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t RecordHeaderSize = 30;
    constexpr std::uint32_t InExtraField = 0xffffffff; ///< a size that needs 64 bits
    constexpr std::string_view HeaderMagic = "PK\x03\x04", DirectoryMagic = "PK\x01\x02";

    std::uint64_t littleEndian(std::string_view bytes)
    {
        std::uint64_t value = 0;
        for (std::size_t i = bytes.size(); i-- > 0;)
            value = value << 8U | static_cast<unsigned char>(bytes[i]);
        return value;
    }

    /// The sizes that did not fit into the header: of the unpacked, then of the stored bytes.
    std::optional<std::array<std::uint64_t, 2>> zip64Sizes(std::string_view extra)
    {
        constexpr std::uint64_t Zip64Id = 1;
        while (extra.size() >= 4) {
            const std::size_t size = littleEndian(extra.substr(2, 2));
            if (littleEndian(extra.substr(0, 2)) == Zip64Id && size >= 16 && extra.size() >= 20)
                return std::array { littleEndian(extra.substr(4, 8)),
                                    littleEndian(extra.substr(12, 8)) };
            extra.remove_prefix(std::min(extra.size(), 4 + size));
        }
        return std::nullopt;
    }

    class RecordWalk
    {
    public:
        RecordWalk(const std::filesystem::path &archive, const JobControl &control)
            : m_file(archive)
            , m_size(std::filesystem::file_size(archive))
            , m_control(control)
            , m_stage("list " + shownPath(archive))
        {
        }

        std::vector<ZipRecord> walk()
        {
            std::vector<ZipRecord> records;
            std::optional<std::uint64_t> next = 0;
            while (next && records.size() < zip::MostMembers) {
                poll(*next);
                std::optional<ZipRecord> record = recordAt(*next);
                if (!record)
                    break;
                next = findEnd(*record);
                if (record->storedSize > 0 || record->size == 0)
                    records.push_back(std::move(*record));
            }
            return records;
        }

    private:
        /// offset: how far the archive was read.
        void poll(std::uint64_t offset) const
        {
            throwIfCancelled(m_control);
            m_control.report(static_cast<double>(std::min(offset, m_size))
                                 / static_cast<double>(m_size),
                             m_stage);
        }

        std::string bytesAt(std::uint64_t offset, std::size_t size)
        {
            std::string bytes(size, '\0');
            m_file.seekTo(offset);
            bytes.resize(m_file.read(bytes));
            return bytes;
        }

        std::optional<ZipRecord> recordAt(std::uint64_t offset)
        {
            const std::string header = bytesAt(offset, RecordHeaderSize);
            if (header.size() < RecordHeaderSize || !header.starts_with(HeaderMagic))
                return std::nullopt;
            const auto field = [&header](std::size_t at, std::size_t size) {
                return littleEndian(std::string_view(header).substr(at, size));
            };
            const std::size_t nameSize = field(26, 2), extraSize = field(28, 2);
            const std::string texts = bytesAt(offset + RecordHeaderSize, nameSize + extraSize);
            if (texts.size() < nameSize + extraSize)
                return std::nullopt;
            ZipRecord record;
            const std::uint64_t flags = field(6, 2);
            record.isEncrypted = (flags & zip::EncryptedFlag) != 0;
            record.method = static_cast<std::uint16_t>(field(8, 2));
            record.storedName = texts.substr(0, nameSize);
            record.dataOffset = offset + RecordHeaderSize + nameSize + extraSize;
            record.storedSize = field(18, 4);
            // Writers that can go back fill in the sizes even if they follow the data as well.
            m_isSizeKnown = (flags & zip::SizesFollowFlag) == 0 || record.storedSize != 0;
            if (!m_isSizeKnown)
                return record;
            record.crc = static_cast<std::uint32_t>(field(14, 4));
            record.size = field(22, 4);
            if (record.storedSize == InExtraField || record.size == InExtraField) {
                const auto sizes = zip64Sizes(std::string_view(texts).substr(nameSize));
                if (!sizes)
                    return std::nullopt;
                record.size = (*sizes)[0];
                record.storedSize = (*sizes)[1];
            }
            return record;
        }

        /// Where the next header is; absent behind the last. Sets the stored size to what is there.
        std::optional<std::uint64_t> findEnd(ZipRecord &record)
        {
            const std::uint64_t room = m_size - std::min(m_size, record.dataOffset);
            if (!m_isSizeKnown && !inflateToEnd(record, room))
                return std::nullopt;
            if (record.storedSize > room) {
                record.storedSize = room;
                return std::nullopt;
            }
            return skipSizes(record.dataOffset + record.storedSize);
        }

        /// False if the file ends inside the member, or where it ends cannot be told.
        bool inflateToEnd(ZipRecord &record, std::uint64_t room)
        {
            if (record.method != zip::Deflated || record.isEncrypted)
                return false;
            record.storedSize = room;
            m_file.seekTo(record.dataOffset);
            Inflater inflater(Inflater::Format::Raw);
            std::uint64_t taken = 0, inflated = 0;
            while (!isInflationBomb(inflated, taken)) {
                if (inflater.input().empty()) {
                    const std::size_t count = m_file.read(m_input);
                    if (count == 0)
                        return false;
                    taken += count;
                    poll(record.dataOffset + taken);
                    inflater.setInput(std::span(m_input).first(count));
                }
                std::size_t count = 0;
                const Inflater::Status status = inflater.inflateInto(m_room, count);
                inflated += count;
                if (status == Inflater::Status::Damaged)
                    return false;
                if (status == Inflater::Status::Ended) {
                    record.storedSize = taken - inflater.input().size() - inflater.takenAhead();
                    return true;
                }
            }
            return false;
        }

        /// Over the checksum and the sizes that may stand behind the data, of 4 or 8 bytes each and
        /// with or without a mark in front.
        std::optional<std::uint64_t> skipSizes(std::uint64_t offset)
        {
            constexpr std::size_t LargestSizes = 24;
            const std::string bytes = bytesAt(offset, LargestSizes + HeaderMagic.size());
            for (const std::size_t skipped : { 0U, 12U, 16U, 20U, 24U }) {
                const std::string_view rest
                    = std::string_view(bytes).substr(std::min(bytes.size(), skipped));
                if (rest.starts_with(DirectoryMagic))
                    return std::nullopt;
                if (rest.starts_with(HeaderMagic))
                    return offset + skipped;
            }
            return std::nullopt;
        }

        FileSource m_file;
        std::uint64_t m_size; ///< not 0: else there is no record
        const JobControl &m_control;
        std::string m_stage;
        bool m_isSizeKnown = true; ///< of the record that was read last
        std::vector<char> m_input = std::vector<char>(std::size_t { 256 } * 1024);
        std::vector<char> m_room = std::vector<char>(std::size_t { 256 } * 1024);
    };

} // namespace

std::vector<ZipRecord> walkZipRecords(const std::filesystem::path &archive,
                                      const JobControl &control)
{
    return RecordWalk(archive, control).walk();
}

} // namespace core
