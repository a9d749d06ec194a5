#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

/// For each module's folder ("core/graph") the folders that it names in DEPENDS.
using ModuleEdges = std::map<std::string, std::set<std::string>>;

/// One line that breaks a rule.
struct Violation
{
    std::string file; ///< from the root of the source tree
    int line = 0; ///< from 1; 0 where the whole file is meant
    std::string rule; ///< what is broken and how to mend it

    /// "core/graph/graph.h:12: ..."
    std::string text() const;
};

/// Parses module_edges.txt as write_module_edges() writes it: "folder: folder folder" a line.
ModuleEdges parseModuleEdges(std::string_view text);

/// Every include line of a source file held against the dependency rule.
/// `file` is the path from the root of the source tree; tests may include anything.
std::vector<Violation> checkIncludes(const std::string &file, std::string_view content,
                                     const ModuleEdges &edges);

/// Files of the source tree that the rules are about (C++ sources and headers below the top-level
/// folders), as sorted paths from the root.
std::vector<std::string> sourceFiles(const std::filesystem::path &root);

/// Whole content of a file; throws std::runtime_error naming the file if it cannot be read.
std::string readFile(const std::filesystem::path &file);

} // namespace tests
