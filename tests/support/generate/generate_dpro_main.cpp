#include "tests/support/generate/generate_dpro.h"

#include <filesystem>
#include <fstream>
#include <iostream>

/// generate_dpro FOLDER: writes the generated dPRO folders, and an MXNet profile beside them.
int main(int argc, char **argv)
{
    if (argc != 2) {
        std::cerr << "usage: generate_dpro FOLDER\n";
        return 2;
    }
    const std::filesystem::path root(argv[1]);
    std::map<std::string, std::string> files;
    for (const auto &[path, text] : tests::generateDproFolder())
        files["dpro/" + path] = text;
    for (const auto &[path, text] : tests::generateDproServerFolder())
        files["dpro-ps/" + path] = text;
    files["mxnet/profile.json"] = tests::generateMxnetProfile();
    for (const auto &[path, text] : files) {
        const std::filesystem::path file = root / path;
        std::filesystem::create_directories(file.parent_path());
        if (!(std::ofstream(file) << text)) {
            std::cerr << "cannot write " << file << '\n';
            return 1;
        }
    }
    return 0;
}
