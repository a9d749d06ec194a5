#include "core/project/project_file.h"

#include "core/base/sqlite_magic.h"
#include "core/project/schema/schema.h"
#include "core/project/write/unfinished_import.h"

#include <string_view>

namespace core {

namespace {

    constexpr std::size_t ApplicationIdOffset = 68; ///< 4 bytes, big-endian; see SqliteMagic
    constexpr std::size_t HeaderSize = ApplicationIdOffset + 4;

    std::int64_t applicationId(std::string_view header)
    {
        std::int64_t id = 0;
        for (const char c : header.substr(ApplicationIdOffset))
            id = id * 256 + static_cast<unsigned char>(c);
        return id;
    }

    bool isHeaderOfProject(std::string_view header, bool isNamedAsProject)
    {
        return header.starts_with(SqliteMagic)
            && (isNamedAsProject
                || (header.size() == HeaderSize && applicationId(header) == ProjectApplicationId));
    }

} // namespace

bool isProjectFile(const std::filesystem::path &file)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
        return false; // reading a pipe would block
    try {
        return isHeaderOfProject(Database(file, OpenMode::Read).head(HeaderSize),
                                 file.extension() == ".longpole");
    } catch (const Error &) {
        return false;
    }
}

bool isUnfinishedProject(const std::filesystem::path &file)
{
    try {
        Database db(file, OpenMode::Read);
        checkIsProject(db);
        return readUnfinishedImport(db).has_value();
    } catch (const Error &) {
        return false;
    }
}

} // namespace core
