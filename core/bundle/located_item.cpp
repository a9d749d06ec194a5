#include "core/bundle/located_item.h"

#include "core/base/error.h"
#include "core/bundle/file_source.h"
#include "core/bundle/folder_files.h"
#include "core/bundle/natural_order.h"
#include "core/bundle/shown_name.h"

#include <algorithm>
#include <array>
#include <system_error>

namespace core {

namespace fs = std::filesystem;

namespace {

    bool isZipFile(const fs::path &path)
    {
        std::array<char, 4> head {};
        const std::size_t count = FileSource(path).read(head);
        return isZip(std::span(head).first(count));
    }

    void sortNaturally(std::vector<LocatedItem> &locations)
    {
        std::stable_sort(locations.begin(), locations.end(),
                         [](const LocatedItem &a, const LocatedItem &b) {
                             if (a.item.name == b.item.name) // as shown
                                 return a.path < b.path;
                             return comesBefore(a.item.name, b.item.name);
                         });
    }

    std::vector<LocatedItem> locateFile(const fs::path &path, bool looksIntoArchives,
                                        Diagnostics &diagnostics, const JobControl &control)
    {
        const FileState state = stateOf(path);
        const std::string name = shownPath(path);
        if (const auto clamped = clampedTime(state, path))
            diagnostics.add(*clamped);
        std::vector<LocatedItem> members;
        const auto add
            = [&](std::string shown, std::uint64_t bytes, std::optional<ZipMember> member) {
                  LocatedItem &location = members.emplace_back();
                  location.item.name = std::move(shown);
                  location.item.storedSize = bytes;
                  location.item.modifiedNs = state.modifiedNs;
                  location.path = path.native();
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
    std::vector<LocatedItem> locateArchive(const fs::path &path, Diagnostics &diagnostics,
                                           const JobControl &control)
    {
        try {
            return locateFile(path, isZipFile(path), diagnostics, control);
        } catch (const Error &) {
            return locateFile(path, false, diagnostics, control);
        }
    }

    /// A file of a folder; none if it has been removed since the folder was listed.
    std::vector<LocatedItem> locateListed(const fs::path &path, Diagnostics &diagnostics,
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

    std::vector<LocatedItem> locateFolder(const fs::path &folder, Diagnostics &diagnostics,
                                          const JobControl &control)
    {
        std::vector<LocatedItem> found;
        for (const std::string &path : filesOfFolder(folder, diagnostics, control)) {
            throwIfCancelled(control);
            for (LocatedItem &location : locateListed(path, diagnostics, control))
                found.push_back(std::move(location));
        }
        sortNaturally(found);
        return found;
    }

} // namespace

std::vector<LocatedItem> locateItems(const fs::path &path, Diagnostics &diagnostics,
                                     const JobControl &control)
{
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::none)
        throw Error("cannot be looked at: " + error.message()
                        + ". Check that you may enter the folders that it is in.",
                    { shownPath(path), std::nullopt });
    if (!fs::exists(status))
        throw Error("does not exist. Check the name; a relative one is looked for in the folder "
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

} // namespace core
