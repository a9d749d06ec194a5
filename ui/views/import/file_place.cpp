#include "ui/views/import/file_place.h"

#include <system_error>

namespace ui {

namespace {

    namespace fs = std::filesystem;

    /// `path` itself, or the archive that its last parts are in.
    std::optional<FilePlace> placeOf(const fs::path &path)
    {
        fs::path member;
        for (fs::path at = path; at.has_relative_path(); at = at.parent_path()) {
            std::error_code error; // what may not be looked at is not there
            if (fs::is_regular_file(at, error))
                return FilePlace { at, member.generic_string() };
            member = member.empty() ? at.filename() : at.filename() / member;
        }
        return std::nullopt;
    }

} // namespace

std::optional<FilePlace> findFile(const std::string &name, const fs::path &project)
{
    const fs::path path(name);
    if (name.empty())
        return std::nullopt;
    if (path.is_absolute())
        return placeOf(path);
    if (auto place = placeOf(project.parent_path() / path))
        return place;
    std::error_code error;
    return placeOf(fs::current_path(error) / path);
}

} // namespace ui
