#include "tests/support/unit_test.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

namespace tests {

namespace {

    /// Sources add themselves before main() begins, in any order.
    std::map<std::string, RunTest> &listedTests()
    {
        static std::map<std::string, RunTest> tests;
        return tests;
    }

} // namespace

bool listTest(const char *sourceFile, RunTest run)
{
    listedTests().emplace(std::filesystem::path(sourceFile).stem().string(), run);
    return true;
}

RunTest namedTest(int argc, char **argv)
{
    const auto test = argc > 1 ? listedTests().find(argv[1]) : listedTests().end();
    if (test != listedTests().end())
        return test->second;
    std::fprintf(stderr, "usage: %s TEST [arguments of Qt Test]\nTEST is one of:\n", argv[0]);
    for (const auto &[name, run] : listedTests())
        std::fprintf(stderr, "  %s\n", name.c_str());
    return nullptr;
}

} // namespace tests
