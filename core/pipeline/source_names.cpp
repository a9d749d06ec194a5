#include "core/pipeline/source_names.h"

#include <system_error>

namespace core {

namespace fs = std::filesystem;

std::vector<fs::path> namedFromProject(std::vector<fs::path> inputs, const fs::path &project)
{
    std::error_code error; // no such folder: creating the project says so
    if (fs::equivalent(fs::absolute(project).parent_path(), fs::current_path(), error))
        return inputs;
    for (fs::path &input : inputs)
        input = fs::absolute(input).lexically_normal();
    return inputs;
}

std::string nameThatTellsRank(const std::string &name)
{
    const fs::path path(name);
    if (!path.is_absolute())
        return name;
    const fs::path below = path.lexically_relative(fs::current_path());
    return below.empty() || *below.begin() == ".." ? name : below.string();
}

} // namespace core
