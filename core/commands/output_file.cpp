#include "core/commands/output_file.h"

#include "core/base/error.h"
#include "core/project/project_file.h"
#include "core/project/read/project_reader.h"

#include <fstream>
#include <system_error>

namespace core {

namespace fs = std::filesystem;

void refuseFolder(const fs::path &file, std::string_view example)
{
    std::error_code ignored; // what cannot be looked at fails with its reason when it is written
    if (fs::is_directory(file, ignored))
        throw Error("Is a folder; name a file to write, for example "
                        + (file / example).lexically_normal().string() + ".",
                    { file.string(), {} });
}

void refuseIrreplaceable(const fs::path &file, const fs::path &project)
{
    std::error_code ignored;
    const fs::file_status status = fs::status(file, ignored);
    if (!fs::exists(status))
        return;
    if (!fs::is_regular_file(status))
        throw Error("Is no plain file (a device, a pipe); name a file to write.",
                    { file.string(), {} });
    if (isProjectFile(file))
        throw Error("Is a project, which an export does not replace; choose another name.",
                    { file.string(), {} });
    const fs::path folder = fs::absolute(project).parent_path();
    const ProjectReader reader(project);
    for (const SourceFile &source : reader.info().files) {
        fs::path path = folder / source.name; // of an archive: and the name in it
        while (path.has_relative_path() && !fs::exists(path, ignored))
            path = path.parent_path();
        if (fs::equivalent(path, file, ignored))
            throw Error("Is a trace that the project was imported from; choose another name.",
                        { file.string(), {} });
    }
}

fs::path linkTarget(const fs::path &file)
{
    std::error_code unreadable;
    if (!fs::is_symlink(file, unreadable))
        return file;
    const fs::path target = fs::weakly_canonical(file, unreadable);
    return unreadable ? file : target;
}

void refuseExisting(const fs::path &file, bool mayOverwrite)
{
    std::error_code ignored;
    if (!mayOverwrite && fs::exists(file, ignored))
        throw Error("The file exists already; choose another name, or replace it with --force.",
                    { file.string(), {} });
}

void writeFile(const std::filesystem::path &file, std::string_view text)
{
    std::ofstream out(linkTarget(file), std::ios::binary);
    out << text;
    out.close();
    if (!out)
        throw Error("'" + file.string()
                    + "' cannot be written. Is there room, and may you write there?");
}

} // namespace core
