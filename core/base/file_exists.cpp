#include "core/base/file_exists.h"

#include "core/base/error.h"

#include <system_error>

namespace core {

bool fileExists(const std::filesystem::path &path)
{
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::none)
        throw Error("cannot be looked up: " + error.message()
                        + ". Check its name, and that you may enter its folder",
                    { path.string(), {} });
    return std::filesystem::exists(status);
}

} // namespace core
