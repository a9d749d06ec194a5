#include "tests/support/generate/published_models.h"

#include <algorithm>
#include <iostream>
#include <string>

/// generate_published_model MODEL RANKS ITERATIONS FOLDER: writes the traces of a training job.
int main(int argc, char **argv)
{
    const std::vector<tests::PublishedModel> models = tests::publishedModels();
    const auto model = std::find_if(models.begin(), models.end(), [&](const auto &one) {
        return argc == 5 && one.name == argv[1];
    });
    if (model == models.end()) {
        std::cerr << "usage: generate_published_model MODEL RANKS ITERATIONS FOLDER\nmodels:";
        for (const tests::PublishedModel &one : models)
            std::cerr << " \"" << one.name << '"';
        std::cerr << '\n';
        return 2;
    }
    const tests::GpuDdpJob job
        = tests::publishedJob(*model, std::stoi(argv[2]), std::stoi(argv[3]));
    tests::writeGpuDdpJob(job, argv[4]);
    std::cout << model->name << ": " << model->tensors() << " tensors, "
              << static_cast<double>(model->bytes()) / (1 << 20) << " MiB, iteration "
              << static_cast<double>(tests::iterationNsOf(job)) / 1e6 << " ms\n";
    return 0;
}
