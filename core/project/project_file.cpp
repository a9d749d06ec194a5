#include "core/project/project_file.h"

#include "core/project/schema.h"
#include "core/project/unfinished_import.h"

#include <array>
#include <fstream>
#include <string_view>

namespace core {

namespace {

    // https://www.sqlite.org/fileformat.html, "The Database Header"
    constexpr std::string_view Magic { "SQLite format 3\0", 16 };
    constexpr std::size_t ApplicationIdOffset = 68; ///< 4 bytes, big-endian
    using Header = std::array<char, ApplicationIdOffset + 4>;

    std::int64_t applicationId(const Header &header)
    {
        std::int64_t id = 0;
        for (std::size_t i = ApplicationIdOffset; i < header.size(); ++i)
            id = id * 256 + static_cast<unsigned char>(header[i]);
        return id;
    }

} // namespace

bool isProjectFile(const std::filesystem::path &file)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
        return false; // reading a pipe would block
    Header header {};
    std::ifstream in(file, std::ios::binary);
    in.read(header.data(), header.size());
    if (std::string_view(header.data(), Magic.size()) != Magic)
        return false;
    return file.extension() == ".longpole" || applicationId(header) == ProjectApplicationId;
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
