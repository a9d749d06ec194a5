#include "core/commands/output_file.h"

#include "core/base/error.h"

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

void refuseExisting(const fs::path &file, bool mayOverwrite)
{
    std::error_code ignored;
    if (!mayOverwrite && fs::exists(file, ignored))
        throw Error("The file exists already; choose another name, or replace it with --force.",
                    { file.string(), {} });
}

} // namespace core
