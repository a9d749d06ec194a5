#include "core/bundle/bundle.h"

#include "core/base/error.h"
#include "core/bundle/bundle_index.h"
#include "core/bundle/fingerprint.h"
#include "core/bundle/shown_name.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace core {

namespace fs = std::filesystem;

namespace {

    class LocatedBundle : public Bundle
    {
    public:
        LocatedBundle(std::vector<LocatedItem> locations, Diagnostics diagnostics)
            : m_diagnostics(std::move(diagnostics))
        {
            auto index = std::make_shared<BundleIndex>();
            index->items = std::move(locations);
            for (std::size_t i = 0; i < index->items.size(); ++i) {
                const BundleItem &item = index->items[i].item;
                m_items.push_back(item);
                index->byName.emplace(fs::path(item.name).lexically_normal().string(), i);
            }
            m_index = std::move(index);
        }

        const std::vector<BundleItem> &items() const override { return m_items; }

        const Diagnostics &diagnostics() const override { return m_diagnostics; }

        std::unique_ptr<BundleEntry> open(std::size_t index) const override
        {
            return openEntry(m_index, index);
        }

        std::string fingerprint(std::size_t index) const override
        {
            const LocatedItem &location = m_index->items.at(index);
            if (!location.member)
                return fingerprintOf(location.path, 0, location.item.storedSize);
            if (const auto crc = location.member->crc)
                return fingerprintOf(*crc);
            return fingerprintOf(location.path, location.member->place(), location.item.storedSize);
        }

    private:
        std::shared_ptr<const BundleIndex> m_index;
        std::vector<BundleItem> m_items;
        Diagnostics m_diagnostics;
    };

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
    std::vector<LocatedItem> locations;
    Diagnostics diagnostics;
    // A path as such takes several times the memory of its text.
    std::map<std::pair<std::string, std::optional<std::uint64_t>>, std::size_t> known;
    std::map<std::string, std::string> canonicals; // an archive may have many members
    NamesTaken names;
    for (const fs::path &path : paths) {
        try {
            for (LocatedItem &location : locateItems(path, diagnostics, control)) {
                const auto [canonical, isNew] = canonicals.try_emplace(location.path);
                if (isNew) // of one that is gone by now, reading it tells so
                    canonical->second = fs::weakly_canonical(location.path).native();
                std::optional<std::uint64_t> place;
                if (location.member)
                    place = location.member->place();
                const bool isNamed = !location.member && fs::path(location.path) == path;
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
