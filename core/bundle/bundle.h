#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// One file of a bundle, opened for reading once from front to back; gzip is already undone. One
/// thread reads; tail(), openOther() and hasOther() may be called by one other meanwhile.
class BundleEntry
{
public:
    virtual ~BundleEntry() = default;

    /// Path as the user knows it: "run/rank0.json.gz", or "run.zip/rank0.json".
    virtual const std::string &name() const = 0;
    /// Fills the buffer with the next bytes and returns how many; 0 at the end.
    /// Throws Error on damage that cannot be read past (truncated gzip: after all readable bytes
    /// were given).
    virtual std::size_t read(std::span<char> buffer) = 0;
    /// How much of the stored (compressed) entry has been consumed, 0..1.
    virtual double progress() const = 0;
    /// The last bytes of the (inflated) entry, without moving the place where read() goes on. Cheap
    /// for a plain file; reads a compressed entry through once more. Throws Error as read() does.
    virtual std::string tail(std::size_t sizeBytes) const = 0;
    /// Another entry of the bundle, from its beginning: `relativePath` is taken from this entry's
    /// folder ("gradient_name_list.json", "../key_dict.txt"); "" is this entry itself. nullptr if
    /// the bundle has none of that name. Throws Error if it cannot be opened.
    virtual std::unique_ptr<BundleEntry> openOther(std::string_view relativePath) const = 0;
    /// Whether the bundle has that entry; opens nothing.
    virtual bool hasOther(std::string_view relativePath) const = 0;
    /// Where the entry lies on disk as it is, for formats that need random access; empty for
    /// members of archives and for compressed files.
    virtual std::filesystem::path plainFile() const = 0;
    /// To be asked after the entry was read: a "file-changed" for each file (or archive that holds
    /// it), this entry's and those of openOther(), that is no longer the one that was listed.
    virtual Diagnostics changesSinceListed() const = 0;
};

/// The entry's next bytes, at most so many; fewer where it ends or cannot be read further (the next
/// read() tells why). Throws Error if not even one byte can be read.
std::string readUpTo(BundleEntry &entry, std::size_t most);

/// All of the entry; absent if that is more than so many bytes. Throws Error if it cannot be read
/// to its end: where a check sum fails, the bytes before are not what was written either.
std::optional<std::string> readWhole(BundleEntry &entry, std::size_t most);

/// What a bundle lists before anything of it is read.
struct BundleItem
{
    std::string name; ///< as BundleEntry::name()
    std::uint64_t storedSize = 0; ///< bytes on disk or in the archive
    std::int64_t modifiedNs = 0; ///< when the file or its archive was last written, since 1970
    bool isNamed = false; ///< the path itself was given, not a folder or an archive that has it
};

/// Any mix of files, folders (searched recursively), .zip archives (QuaZip) and .gz inside either,
/// in a stable order (natural order of names: rank2 before rank10). Hidden files and symbolic links
/// out of a folder are left out; what of a folder cannot be read is among the diagnostics. Names
/// are unique, as shownName() shows them.
class Bundle
{
public:
    virtual ~Bundle() = default;
    virtual const std::vector<BundleItem> &items() const = 0;
    /// What was wrong with the archives and folders when they were listed.
    virtual const Diagnostics &diagnostics() const = 0;
    /// Throws Error if the entry cannot be opened.
    virtual std::unique_ptr<BundleEntry> open(std::size_t index) const = 0;
    /// Differs where an entry of this name and size holds something else: the check sum of an
    /// archive's member, else a hash of the size and of a piece of the stored bytes at the
    /// beginning, in the middle and at the end. Cheap. Throws Error if it cannot be read.
    virtual std::string fingerprint(std::size_t index) const = 0;
};

/// Throws Error naming the path if one does not exist or is not readable; an archive is recognised
/// by content. Throws Cancelled: what a cut archive holds is found by inflating all of it.
std::unique_ptr<Bundle> openBundle(const std::vector<std::filesystem::path> &paths,
                                   const JobControl &control = {});

} // namespace core
