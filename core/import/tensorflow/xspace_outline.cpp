#include "core/import/tensorflow/xspace_outline.h"

#include "core/base/error.h"
#include "core/import/tensorflow/xstat.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/protobuf_stream.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MaximumStatSize = 4096; // longer ones are programs, not figures
    constexpr std::size_t MaximumName = 64 * 1024;
    /// Of one kind of event or one plane. All are looked at for every event of the kind; profilers
    /// write some dozens.
    constexpr std::size_t MaximumStats = 1000;

    /// A map entry of a plane: its key, and its value as a message.
    struct MapEntry
    {
        std::int64_t key = 0;
        std::string_view value;
    };

    MapEntry mapEntry(std::string_view message)
    {
        MapEntry entry;
        for (ProtobufFields field(message); field.next();) {
            if (field.number() == 1)
                entry.key = field.integer();
            else if (field.number() == 2)
                entry.value = field.bytes();
        }
        return entry;
    }

    void appendLengthDelimited(std::string &out, std::uint32_t number, std::string_view value)
    {
        out += static_cast<char>(number << 3U | 2U);
        std::size_t size = value.size();
        for (; size > 0x7f; size >>= 7U)
            out += static_cast<char>((size & 0x7fU) | 0x80U);
        out += static_cast<char>(size);
        out += value;
    }

    class OutlineReader
    {
    public:
        OutlineReader(BundleEntry &entry, std::size_t mostBytes, Diagnostics &diagnostics,
                      const JobControl &control)
            : m_file(entry.name())
            , m_mostBytes(std::min<std::uint64_t>(mostBytes, XSpaceOutline::MaximumNameBytes))
            , m_diagnostics(diagnostics)
            , m_stream(entry, diagnostics, control)
        {
        }

        XSpaceOutline read()
        {
            while (m_stream.next()) {
                if (!m_stream.isBytes())
                    continue;
                if (m_stream.number() == xspace::Planes)
                    readPlane();
                else
                    readText(m_stream.number());
            }
            m_outline.damageCount = m_stream.damageCount();
            m_outline.firstDamage = m_stream.firstDamage();
            if (m_stream.isTruncated())
                m_outline.truncatedAt = m_stream.readTo();
            noteProfileStart();
            return std::move(m_outline);
        }

    private:
        void readText(std::uint32_t number)
        {
            const auto text = m_stream.bytes();
            std::vector<std::string> *const list = number == xspace::HostNames
                ? &m_outline.hostNames
                : number == xspace::Errors   ? &m_outline.errors
                : number == xspace::Warnings ? &m_outline.warnings
                                             : nullptr;
            if (text && list != nullptr && list->size() < XSpaceOutline::MaximumMessages)
                list->push_back(cleanText(text->substr(0, MaximumName)));
        }

        void readPlane()
        {
            countRow();
            m_plane = {};
            m_planeStats = 0;
            m_stream.enter();
            while (m_stream.next()) {
                if (!m_stream.isBytes())
                    continue;
                if (m_stream.number() == xplane::Lines)
                    readLine();
                else
                    readPlaneField();
            }
            m_stream.leave();
            if (m_plane.lines.empty()) // of no event, and programs make them large
                m_plane.events.clear();
            m_outline.planes.push_back(std::move(m_plane));
        }

        void countRow()
        {
            if (m_rowCount++ >= XSpaceOutline::MaximumRows)
                throw Error("the file has more than 100000 rows: it is no profile, or was "
                            "damaged. Record again",
                            { m_file, m_stream.fieldOffset() });
        }

        void readPlaneField()
        {
            const std::uint32_t number = m_stream.number();
            const auto message = m_stream.bytes();
            if (!message)
                return;
            if (number == xplane::Name)
                readName(m_plane.name, *message);
            else if (number == xplane::EventMetadata)
                addEventMetadata(mapEntry(*message));
            else if (number == xplane::StatMetadata)
                addStatMetadata(mapEntry(*message));
            else if (number == xplane::Stats)
                keep(m_plane.stats, m_planeStats, number, *message);
        }

        void readLine()
        {
            countRow();
            XLineOutline line;
            m_stream.enter();
            while (m_stream.next()) {
                const std::uint32_t number = m_stream.number();
                if (number == xline::Id)
                    line.id = m_stream.integer();
                else if (number == xline::TimestampNs)
                    line.timestampNs = m_stream.integer();
                else if (number == xline::DisplayName
                         || (number == xline::Name && line.name.empty()))
                    readLineName(line.name);
            }
            m_stream.leave();
            m_plane.lines.push_back(std::move(line));
        }

        void readLineName(std::string &name)
        {
            const auto text = m_stream.isBytes() ? m_stream.bytes() : std::nullopt;
            if (text)
                readName(name, *text);
        }

        void readName(std::string &name, std::string_view text)
        {
            if (text.empty() || !hasRoom())
                return;
            name = cleanText(text.substr(0, MaximumName));
            m_nameBytes += name.size();
        }

        void addEventMetadata(const MapEntry &entry)
        {
            if (!hasRoom())
                return;
            XEventMetadata metadata;
            std::size_t statCount = 0;
            for (ProtobufFields field(entry.value); field.next();) {
                if (!field.isBytes())
                    continue;
                if (field.number() == 2)
                    metadata.name = cleanText(field.bytes().substr(0, MaximumName));
                else if (field.number() == 4)
                    metadata.displayName = cleanText(field.bytes().substr(0, MaximumName));
                else if (field.number() == xstat::OfEventMetadata)
                    keep(metadata.stats, statCount, field.number(), field.bytes());
            }
            m_nameBytes += metadata.name.size() + metadata.displayName.size();
            m_plane.events.insert_or_assign(entry.key, std::move(metadata));
        }

        void addStatMetadata(const MapEntry &entry)
        {
            if (!hasRoom())
                return;
            for (ProtobufFields field(entry.value); field.next();) {
                if (field.number() != 2 || !field.isBytes())
                    continue;
                std::string name = cleanText(field.bytes().substr(0, MaximumName));
                m_nameBytes += name.size();
                m_plane.statNames.insert_or_assign(entry.key, std::move(name));
            }
        }

        bool hasRoom()
        {
            constexpr std::uint64_t NodeSize = 256; // of a map, with its key and place in the table
            m_nameBytes += NodeSize;
            if (m_nameBytes <= m_mostBytes)
                return true;
            ++m_outline.namesLeftOut;
            return false;
        }

        /// `count`: of the statistics in `stats`.
        void keep(std::string &stats, std::size_t &count, std::uint32_t number,
                  std::string_view message)
        {
            if (message.size() > MaximumStatSize)
                return;
            if (count == MaximumStats) {
                m_diagnostics.count("stats-left-out", Severity::Warning,
                                    { m_file, m_stream.fieldOffset() },
                                    "a kind of event or a plane has more than 1000 statistics: "
                                    "the further ones were left out. No profiler writes as many; "
                                    "if the file is damaged, copy it again");
                return;
            }
            m_nameBytes += message.size();
            if (m_nameBytes > m_mostBytes) {
                ++m_outline.namesLeftOut;
                return;
            }
            ++count;
            appendLengthDelimited(stats, number, message);
        }

        /// Times of the lines count from the start of the profile, which one plane tells.
        void noteProfileStart()
        {
            for (const XPlaneOutline &plane : m_outline.planes) {
                forEachStat(plane.stats, xplane::Stats, plane, [this](const XStat &stat) {
                    if (stat.name == "profile_start_time" && stat.integer() && *stat.integer() > 0)
                        m_outline.profileStartNs = stat.integer();
                });
            }
        }

        std::string m_file;
        std::uint64_t m_mostBytes;
        Diagnostics &m_diagnostics;
        ProtobufStream m_stream;
        XSpaceOutline m_outline;
        XPlaneOutline m_plane;
        std::size_t m_rowCount = 0;
        std::size_t m_planeStats = 0; ///< of m_plane
        std::uint64_t m_nameBytes = 0;
    };

} // namespace

XSpaceOutline readXSpaceOutline(BundleEntry &entry, std::size_t mostBytes, Diagnostics &diagnostics,
                                const JobControl &control)
{
    return OutlineReader(entry, mostBytes, diagnostics, control).read();
}

} // namespace core
