#include "tests/architecture/type_names.h"

#include <sstream>

namespace tests {

namespace {

    /// "Graph" for "class Graph final : public Base"; empty if the line defines no type.
    std::string definedName(const std::string &line)
    {
        std::istringstream words(line);
        std::string key, name;
        words >> key >> name;
        const bool isForward
            = line.find(';') != std::string::npos && line.find('{') == std::string::npos;
        if (line.empty() || line.front() == ' ' || (key != "class" && key != "struct") || isForward
            || name.find_first_of("<:") != std::string::npos) {
            return {};
        }
        return name;
    }

} // namespace

std::vector<std::string> definedTypes(std::string_view header)
{
    std::vector<std::string> types;
    std::string scope;
    std::istringstream lines { std::string(header) };
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("namespace ")) {
            scope = line.substr(10, line.find(" {") - 10);
        }
        if (const std::string name = definedName(line); !name.empty()) {
            types.push_back(scope + "::" + name);
        }
    }
    return types;
}

} // namespace tests
