#include "core/import/unwritten_rows.h"

#include "core/base/error.h"
#include "core/bundle/file_name.h"
#include "core/bundle/file_source.h"

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>

namespace core {

namespace {

    using namespace std::string_view_literals;

    /// Gives out the next bytes, at most so many; fewer at the end.
    using ReadNext = std::function<std::string(std::size_t)>;

    template <class Source>
    std::string nextBytes(Source &source, std::size_t most)
    {
        std::string bytes(most, '\0');
        std::size_t size = 0;
        while (size < most) {
            const std::size_t count = source.read(std::span(bytes).subspan(size));
            if (count == 0)
                break;
            size += count;
        }
        bytes.resize(size);
        return bytes;
    }

    /// What is called as the database with a suffix and lies beside it; none where there is
    /// nothing.
    ReadNext openBeside(const BundleEntry &entry, std::string_view suffix)
    {
        if (const std::filesystem::path plain = entry.plainFile(); !plain.empty()) {
            const std::string path = plain.string() + std::string(suffix);
            std::error_code ignored;
            if (!std::filesystem::is_regular_file(path, ignored))
                return {};
            return [file = std::make_shared<FileSource>(path)](std::size_t most) {
                return nextBytes(*file, most);
            };
        }
        std::string_view name = fileName(entry.name());
        if (name.ends_with(".gz"))
            name.remove_suffix(3);
        for (const std::string_view packed : { ""sv, ".gz"sv })
            if (std::shared_ptr<BundleEntry> other
                = entry.openOther(std::string(name) + std::string(suffix) + std::string(packed)))
                return [other](std::size_t most) { return nextBytes(*other, most); };
        return {};
    }

    std::uint32_t bigEndian(std::string_view bytes, std::size_t at)
    {
        std::uint32_t number = 0;
        for (const char byte : bytes.substr(at, 4))
            number = number << 8U | static_cast<unsigned char>(byte);
        return number;
    }

    bool isInDatabase(std::ifstream &database, std::uint32_t page, const std::string &content)
    {
        std::string stored(content.size(), '\0');
        database.clear();
        database.seekg(static_cast<std::streamoff>(content.size()) * (std::streamoff { page } - 1));
        return database.read(stored.data(), static_cast<std::streamsize>(stored.size()))
            && stored == content;
    }

    /// Whether the frames of a write-ahead log (https://www.sqlite.org/fileformat2.html#walformat)
    /// hold a page that is not in the database as it is in the last of them. Those of an earlier
    /// round, which have another salt, are in it.
    bool isAheadOf(const std::filesystem::path &path, const ReadNext &wal,
                   const JobControl &control)
    {
        constexpr std::size_t HeaderBytes = 32, FrameBytes = 24, SaltBytes = 8;
        constexpr std::size_t PageSizeAt = 8, SaltAt = 16, FrameSaltAt = 8;
        constexpr std::uint32_t SmallestPage = 512, LargestPage = 65536;
        const std::string header = wal(HeaderBytes);
        if (!header.starts_with("\x37\x7f\x06"sv))
            return false;
        if (header.size() < HeaderBytes)
            return true;
        const std::uint32_t pageBytes = bigEndian(header, PageSizeAt);
        if (pageBytes < SmallestPage || pageBytes > LargestPage)
            return true;
        std::ifstream database(path, std::ios::binary);
        std::unordered_map<std::uint32_t, bool> isPageAhead;
        for (;;) {
            throwIfCancelled(control);
            const std::string frame = wal(FrameBytes);
            if (frame.size() < FrameBytes
                || frame.compare(FrameSaltAt, SaltBytes, header, SaltAt, SaltBytes) != 0)
                break;
            const std::uint32_t page = bigEndian(frame, 0);
            const std::string content = wal(pageBytes);
            isPageAhead[page]
                = content.size() < pageBytes || !isInDatabase(database, page, content);
        }
        for (const auto &[page, isAhead] : isPageAhead)
            if (isAhead)
                return true;
        return false;
    }

    /// Of what cannot be read it is not known: it may be.
    template <class Holds>
    bool mayHold(const BundleEntry &entry, std::string_view suffix, Holds holds)
    {
        try {
            const ReadNext beside = openBeside(entry, suffix);
            return beside && holds(beside);
        } catch (const Error &) {
            return true;
        }
    }

} // namespace

void countUnwrittenRows(const BundleEntry &entry, const std::filesystem::path &database,
                        Diagnostics &diagnostics, const JobControl &control)
{
    const auto tell = [&](const char *suffix) {
        diagnostics.add({ "unwritten-rows", Severity::Error, 1, entry.name(), std::nullopt,
                          std::string("The file ") + suffix
                              + " beside it holds what its program has not yet written into it, "
                                "or not to the end: that was not read. Let SQLite finish it "
                                "(sqlite3 FILE \"PRAGMA wal_checkpoint(TRUNCATE)\"), or export "
                                "again, and import again into a new project.",
                          /*losesRecords=*/false });
    };
    if (mayHold(entry, "-wal",
                [&](const ReadNext &wal) { return isAheadOf(database, wal, control); }))
        tell("-wal");
    if (mayHold(entry, "-journal",
                [](const ReadNext &journal) { return journal(3).starts_with("\xd9\xd5\x05"sv); }))
        tell("-journal");
}

} // namespace core
