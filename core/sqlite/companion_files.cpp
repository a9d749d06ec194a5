#include "core/sqlite/companion_files.h"

#include "core/base/error.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace core {

namespace {

    namespace fs = std::filesystem;

    constexpr const char *Remedy
        = "It does not come from Longpole: remove it, if the project is to be opened.";

    /// A journal of a transaction over several databases ends with the name of the file that lists
    /// them, its length (4 bytes), a checksum (4) and this. Such a journal is none of ours:
    /// nothing here attaches a database. (sqlite.org/fileformat.html and pager.c, readSuperJournal)
    constexpr std::array<char, 8> JournalMagic
        = { '\xd9', '\xd5', '\x05', '\xf9', '\x20', '\xa1', '\x63', '\xd7' };
    constexpr std::streamoff JournalTail = 16;

    bool namesAnotherFile(const fs::path &journal)
    {
        std::ifstream in(journal, std::ios::binary);
        in.seekg(0, std::ios::end);
        if (!in || in.tellg() < JournalTail)
            return false;
        in.seekg(-JournalTail, std::ios::end);
        std::array<char, JournalTail> tail {};
        in.read(tail.data(), tail.size());
        const bool isNamed
            = std::any_of(tail.begin(), tail.begin() + 4, [](char byte) { return byte != 0; });
        return in && isNamed
            && std::equal(JournalMagic.begin(), JournalMagic.end(), tail.end() - 8);
    }

    void checkCompanion(const fs::path &file)
    {
        std::error_code error;
        const fs::file_status status = fs::symlink_status(file, error);
        if (!fs::exists(status))
            return;
        if (!fs::is_regular_file(status))
            throw Error("this file beside the project is no regular file. " + std::string(Remedy),
                        { file.string(), {} });
        const auto links = fs::hard_link_count(file, error);
        if (!error && links > 1)
            throw Error("this file beside the project is another file's second name. "
                            + std::string(Remedy),
                        { file.string(), {} });
    }

} // namespace

void checkCompanionFiles(const fs::path &database)
{
    std::error_code error;
    const fs::file_status status = fs::status(database, error);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
        throw Error("this is a pipe or a device, and no file. Name a regular file.",
                    { database.string(), {} });
    for (const char *suffix : { "-journal", "-wal", "-shm" })
        checkCompanion(database.string() + suffix);
    const fs::path journal = database.string() + "-journal";
    if (namesAnotherFile(journal))
        throw Error("this journal names another file, which opening the project would delete. "
                        + std::string(Remedy),
                    { journal.string(), {} });
}

} // namespace core
