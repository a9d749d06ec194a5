#include "core/bundle/bundle_index.h"

#include "core/bundle/file_source.h"
#include "core/bundle/gzip_source.h"
#include "core/bundle/read_ahead_source.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

namespace core {

namespace fs = std::filesystem;

namespace {

    /// A source whose first bytes were looked at and are given out again.
    class PeekedSource : public ByteSource
    {
    public:
        explicit PeekedSource(std::unique_ptr<ByteSource> source)
            : m_source(std::move(source))
        {
            m_size = m_source->read(m_head);
            // A short read of a device or pipe would hide the second magic byte.
            while (m_size < m_head.size()) {
                const std::size_t more = m_source->read(std::span(m_head).subspan(m_size));
                if (more == 0)
                    break;
                m_size += more;
            }
        }

        std::span<const char> head() const { return std::span(m_head).first(m_size); }

        std::size_t read(std::span<char> buffer) override
        {
            if (m_given == m_size)
                return m_source->read(buffer);
            const std::size_t count = std::min(buffer.size(), m_size - m_given);
            std::memcpy(buffer.data(), m_head.data() + m_given, count);
            m_given += count;
            return count;
        }

        double progress() const override { return m_source->progress(); }

    private:
        std::unique_ptr<ByteSource> m_source;
        std::array<char, 4> m_head {};
        std::size_t m_size = 0;
        std::size_t m_given = 0;
    };

    /// Positions of the entries that were opened for one that is read: its own, and others.
    using OpenedEntries = std::shared_ptr<std::set<std::size_t>>;

    std::unique_ptr<BundleEntry> openFor(const std::shared_ptr<const BundleIndex> &index,
                                         std::size_t position, const OpenedEntries &opened);

    class SourceEntry : public BundleEntry
    {
    public:
        using Opener = std::function<std::unique_ptr<ByteSource>()>;

        SourceEntry(const LocatedItem &location, const Opener &open,
                    std::shared_ptr<const BundleIndex> index, OpenedEntries opened)
            : m_location(location)
            , m_open(open)
            , m_index(std::move(index))
            , m_opened(std::move(opened))
        {
            auto peeked = std::make_unique<PeekedSource>(open());
            m_isGzip = isGzip(peeked->head());
            m_source = std::move(peeked);
            if (m_isGzip)
                m_source = std::make_unique<GzipSource>(std::move(m_source), m_location.item.name);
            if (m_isGzip || m_location.member)
                m_source = std::make_unique<ReadAheadSource>(std::move(m_source));
        }

        const std::string &name() const override { return m_location.item.name; }
        std::size_t read(std::span<char> buffer) override { return m_source->read(buffer); }
        double progress() const override { return m_source->progress(); }

        std::string tail(std::size_t sizeBytes) const override
        {
            if (!m_isGzip && !m_location.member) {
                FileSource file(m_location.path);
                file.seekToTail(sizeBytes);
                return lastBytes(file, sizeBytes);
            }
            std::unique_ptr<ByteSource> source = m_open();
            if (m_isGzip)
                source = std::make_unique<GzipSource>(std::move(source), m_location.item.name);
            return lastBytes(*source, sizeBytes);
        }

        std::unique_ptr<BundleEntry> openOther(std::string_view relativePath) const override
        {
            const auto found = find(relativePath);
            return found == m_index->byName.end() ? nullptr
                                                  : openFor(m_index, found->second, m_opened);
        }

        bool hasOther(std::string_view relativePath) const override
        {
            return find(relativePath) != m_index->byName.end();
        }

        fs::path plainFile() const override
        {
            return m_isGzip || m_location.member ? fs::path() : fs::path(m_location.path);
        }

        Diagnostics changesSinceListed() const override
        {
            Diagnostics changes;
            std::set<std::string> asked; // an archive may hold several of them
            for (const std::size_t position : *m_opened) {
                const LocatedItem &location = m_index->items[position];
                if (!asked.insert(location.path).second)
                    continue;
                if (const auto change = changeSince(location.state, location.path))
                    changes.add(*change);
            }
            return changes;
        }

    private:
        decltype(BundleIndex::byName)::const_iterator find(std::string_view relativePath) const
        {
            const fs::path own = m_location.item.name;
            const fs::path path = relativePath.empty() ? own : own.parent_path() / relativePath;
            return m_index->byName.find(path.lexically_normal().string());
        }

        static std::string lastBytes(ByteSource &source, std::size_t sizeBytes)
        {
            std::string kept;
            std::vector<char> block(std::max(sizeBytes, std::size_t { 64 } * 1024));
            while (const std::size_t count = source.read(block)) {
                kept.append(block.data(), count);
                if (kept.size() > sizeBytes)
                    kept.erase(0, kept.size() - sizeBytes);
            }
            return kept;
        }

        const LocatedItem &m_location; ///< of the index
        Opener m_open;
        std::shared_ptr<const BundleIndex> m_index;
        OpenedEntries m_opened;
        std::unique_ptr<ByteSource> m_source;
        bool m_isGzip = false;
    };

    std::unique_ptr<BundleEntry> openFor(const std::shared_ptr<const BundleIndex> &index,
                                         std::size_t position, const OpenedEntries &opened)
    {
        const LocatedItem &location = index->items.at(position);
        opened->insert(position);
        return std::make_unique<SourceEntry>(
            location,
            [path = location.path, member = location.member] {
                return member ? openZipMember(path, *member) : std::make_unique<FileSource>(path);
            },
            index, opened);
    }

} // namespace

std::unique_ptr<BundleEntry> openEntry(const std::shared_ptr<const BundleIndex> &index,
                                       std::size_t position)
{
    return openFor(index, position, std::make_shared<std::set<std::size_t>>());
}

} // namespace core
