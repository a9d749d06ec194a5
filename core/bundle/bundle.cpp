#include "core/bundle/bundle.h"

#include "core/base/error.h"
#include "core/bundle/file_source.h"
#include "core/bundle/file_state.h"
#include "core/bundle/fingerprint.h"
#include "core/bundle/folder_files.h"
#include "core/bundle/gzip_source.h"
#include "core/bundle/natural_order.h"
#include "core/bundle/read_ahead_source.h"
#include "core/bundle/shown_name.h"
#include "core/bundle/zip_archive.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <system_error>

namespace core {

namespace fs = std::filesystem;

namespace {

    /// Where an item is stored: a file, or a member of the archive at `path`.
    struct Location
    {
        BundleItem item;
        fs::path path;
        FileState state; ///< of the file at `path` when it was listed
        std::optional<ZipMember> member; ///< none: the file itself
    };

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

    /// All that a bundle holds; entries keep it, since they open each other.
    struct Index
    {
        std::vector<Location> locations;
        std::map<std::string, std::size_t, std::less<>> byName;
    };

    /// Positions of the entries that were opened for one that is read: its own, and others.
    using OpenedEntries = std::shared_ptr<std::set<std::size_t>>;

    std::unique_ptr<BundleEntry> openEntry(const std::shared_ptr<const Index> &index,
                                           std::size_t position, const OpenedEntries &opened);

    class SourceEntry : public BundleEntry
    {
    public:
        using Opener = std::function<std::unique_ptr<ByteSource>()>;

        SourceEntry(const Location &location, const Opener &open,
                    std::shared_ptr<const Index> index, OpenedEntries opened)
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
                                                  : openEntry(m_index, found->second, m_opened);
        }

        bool hasOther(std::string_view relativePath) const override
        {
            return find(relativePath) != m_index->byName.end();
        }

        fs::path plainFile() const override
        {
            return m_isGzip || m_location.member ? fs::path() : m_location.path;
        }

        Diagnostics changesSinceListed() const override
        {
            Diagnostics changes;
            std::set<fs::path> asked; // an archive may hold several of them
            for (const std::size_t position : *m_opened) {
                const Location &location = m_index->locations[position];
                if (!asked.insert(location.path).second)
                    continue;
                if (const auto change = changeSince(location.state, location.path))
                    changes.add(*change);
            }
            return changes;
        }

    private:
        decltype(Index::byName)::const_iterator find(std::string_view relativePath) const
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

        const Location &m_location; ///< of the index
        Opener m_open;
        std::shared_ptr<const Index> m_index;
        OpenedEntries m_opened;
        std::unique_ptr<ByteSource> m_source;
        bool m_isGzip = false;
    };

    std::unique_ptr<BundleEntry> openEntry(const std::shared_ptr<const Index> &index,
                                           std::size_t position, const OpenedEntries &opened)
    {
        const Location &location = index->locations.at(position);
        opened->insert(position);
        return std::make_unique<SourceEntry>(
            location,
            [path = location.path, member = location.member] {
                return member ? openZipMember(path, *member) : std::make_unique<FileSource>(path);
            },
            index, opened);
    }

    class LocatedBundle : public Bundle
    {
    public:
        LocatedBundle(std::vector<Location> locations, Diagnostics diagnostics)
            : m_diagnostics(std::move(diagnostics))
        {
            auto index = std::make_shared<Index>();
            index->locations = std::move(locations);
            for (std::size_t i = 0; i < index->locations.size(); ++i) {
                const BundleItem &item = index->locations[i].item;
                m_items.push_back(item);
                index->byName.emplace(fs::path(item.name).lexically_normal().string(), i);
            }
            m_index = std::move(index);
        }

        const std::vector<BundleItem> &items() const override { return m_items; }

        const Diagnostics &diagnostics() const override { return m_diagnostics; }

        std::unique_ptr<BundleEntry> open(std::size_t index) const override
        {
            return openEntry(m_index, index, std::make_shared<std::set<std::size_t>>());
        }

        std::string fingerprint(std::size_t index) const override
        {
            const Location &location = m_index->locations.at(index);
            if (!location.member)
                return fingerprintOf(location.path, 0, location.item.storedSize);
            if (const auto crc = location.member->crc)
                return fingerprintOf(*crc);
            return fingerprintOf(location.path, location.member->place(), location.item.storedSize);
        }

    private:
        std::shared_ptr<const Index> m_index;
        std::vector<BundleItem> m_items;
        Diagnostics m_diagnostics;
    };

    bool isZipFile(const fs::path &path)
    {
        std::array<char, 4> head {};
        const std::size_t count = FileSource(path).read(head);
        return isZip(std::span(head).first(count));
    }

    void sortNaturally(std::vector<Location> &locations)
    {
        std::stable_sort(locations.begin(), locations.end(),
                         [](const Location &a, const Location &b) {
                             if (a.item.name == b.item.name) // as shown
                                 return a.path < b.path;
                             return comesBefore(a.item.name, b.item.name);
                         });
    }

    std::vector<Location> locateFile(const fs::path &path, bool looksIntoArchives,
                                     Diagnostics &diagnostics, const JobControl &control)
    {
        const FileState state = stateOf(path);
        const std::string name = shownPath(path);
        std::vector<Location> members;
        const auto add
            = [&](std::string shown, std::uint64_t bytes, std::optional<ZipMember> member) {
                  Location &location = members.emplace_back();
                  location.item.name = std::move(shown);
                  location.item.storedSize = bytes;
                  location.item.modifiedNs = state.modifiedNs;
                  location.path = path;
                  location.state = state;
                  location.member = std::move(member);
              };
        if (!looksIntoArchives) {
            add(name, state.sizeBytes, {});
            return members;
        }
        const ZipListing listing = listZip(path, control);
        if (!listing.damage.empty())
            diagnostics.count("damaged-archive", Severity::Error, { name, std::nullopt },
                              listing.damage + " Files that were found without its directory: "
                                  + std::to_string(listing.members.size())
                                  + ". They are read as far as they go; what lay behind them is "
                                    "lost.");
        for (const ZipMember &member : listing.members)
            add(name + "/" + member.name, member.storedSize, member);
        sortNaturally(members);
        return members;
    }

    /// An archive of a folder; a damaged one is listed as the file that it is, for the reader to
    /// name, and costs the others nothing.
    std::vector<Location> locateArchive(const fs::path &path, Diagnostics &diagnostics,
                                        const JobControl &control)
    {
        try {
            return locateFile(path, isZipFile(path), diagnostics, control);
        } catch (const Error &) {
            return locateFile(path, false, diagnostics, control);
        }
    }

    /// A file of a folder; none if it has been removed since the folder was listed.
    std::vector<Location> locateListed(const fs::path &path, Diagnostics &diagnostics,
                                       const JobControl &control)
    {
        // Model checkpoints and the like are zip archives as well; only what is called .zip is
        // looked into here, a file that the user names is looked into whatever its name.
        const bool isArchive = path.extension() == ".zip";
        try {
            return isArchive ? locateArchive(path, diagnostics, control)
                             : locateFile(path, false, diagnostics, control);
        } catch (const fs::filesystem_error &error) {
            if (error.code() != std::errc::no_such_file_or_directory)
                throw;
            diagnostics.add(goneBeforeListed(path));
            return {};
        }
    }

    std::vector<Location> locateFolder(const fs::path &folder, Diagnostics &diagnostics,
                                       const JobControl &control)
    {
        std::vector<Location> found;
        for (const fs::path &path : filesOfFolder(folder, diagnostics, control)) {
            throwIfCancelled(control);
            for (Location &location : locateListed(path, diagnostics, control))
                found.push_back(std::move(location));
        }
        sortNaturally(found);
        return found;
    }

    std::vector<Location> locate(const fs::path &path, Diagnostics &diagnostics,
                                 const JobControl &control)
    {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (status.type() == fs::file_type::none)
            throw Error("cannot be looked at: " + error.message()
                            + ". Check that you may enter the folders that it is in.",
                        { shownPath(path), std::nullopt });
        if (!fs::exists(status))
            throw Error(
                "does not exist. Check the name; a relative one is looked for in the folder "
                "that the program was started in.",
                { shownPath(path), std::nullopt });
        if (fs::is_directory(status))
            return locateFolder(path, diagnostics, control);
        if (!fs::is_regular_file(status))
            throw Error("is neither a file nor a folder. Name trace files, folders of them or "
                        "archives.",
                        { shownPath(path), std::nullopt });
        return locateFile(path, isZipFile(path), diagnostics, control);
    }

} // namespace

std::string readUpTo(BundleEntry &entry, std::size_t most)
{
    std::string text(most, '\0');
    std::size_t size = 0;
    try {
        while (const std::size_t count = entry.read({ text.data() + size, most - size }))
            size += count;
    } catch (const Error &) {
        if (size == 0)
            throw;
    }
    text.resize(size);
    return text;
}

std::optional<std::string> readWhole(BundleEntry &entry, std::size_t most)
{
    std::string text;
    std::vector<char> block(std::size_t { 64 } * 1024);
    while (const std::size_t count = entry.read(block)) {
        if (count > most - text.size())
            return std::nullopt;
        text.append(block.data(), count);
    }
    return text;
}

std::unique_ptr<Bundle> openBundle(const std::vector<fs::path> &paths, const JobControl &control)
{
    std::vector<Location> locations;
    Diagnostics diagnostics;
    std::map<std::pair<fs::path, std::optional<std::uint64_t>>, std::size_t> known;
    std::map<fs::path, fs::path> canonicals; // an archive may have many members
    NamesTaken names;
    for (const fs::path &path : paths) {
        try {
            for (Location &location : locate(path, diagnostics, control)) {
                const auto [canonical, isNew] = canonicals.try_emplace(location.path);
                if (isNew) // of one that is gone by now, reading it tells so
                    canonical->second = fs::weakly_canonical(location.path);
                std::optional<std::uint64_t> place;
                if (location.member)
                    place = location.member->place();
                const bool isNamed = !location.member && location.path == path;
                const auto [same, isFirst]
                    = known.try_emplace({ canonical->second, place }, locations.size());
                if (isFirst) {
                    location.item.name = names.unique(location.item.name);
                    locations.push_back(std::move(location));
                }
                if (isNamed)
                    locations[same->second].item.isNamed = true;
            }
        } catch (const fs::filesystem_error &error) {
            throw Error("cannot be read: " + error.code().message() + ".",
                        { shownPath(path), std::nullopt });
        }
    }
    return std::make_unique<LocatedBundle>(std::move(locations), std::move(diagnostics));
}

} // namespace core
