#include "tests/support/generate/generate_kineto.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

int main(int argc, char **argv)
{
    if (argc < 3) {
        std::cerr << "usage: generate_kineto OUT EVENTS [RANK WORLD_SIZE]\n";
        return 2;
    }
    tests::KinetoOptions options;
    options.events = std::strtoull(argv[2], nullptr, 10);
    options.rank = argc > 3 ? std::atoi(argv[3]) : 0;
    options.worldSize = argc > 4 ? std::atoi(argv[4]) : 2;
    std::ofstream out(argv[1], std::ios::binary);
    const std::uint64_t slices = tests::generateKineto(out, options);
    out.close();
    if (!out) {
        std::cerr << argv[1] << ": cannot be written\n";
        return 1;
    }
    std::cout << options.events << " events, " << slices << " slices\n";
    return 0;
}
