#include "tests/accuracy/bundles.h"

#include "core/model/step_marks.h"
#include "tests/support/predict.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <set>

namespace accuracy {

namespace fs = std::filesystem;

namespace {

    nlohmann::json readJson(const fs::path &path)
    {
        std::ifstream file(path);
        return nlohmann::json::parse(file, nullptr, false);
    }

    class Scratch
    {
    public:
        Scratch()
            : m_folder(fs::temp_directory_path()
                       / ("longpole-accuracy-" + std::to_string(getpid())))
        {
            fs::create_directories(m_folder);
        }
        ~Scratch()
        {
            std::error_code ignored;
            fs::remove_all(m_folder, ignored);
        }
        Scratch(const Scratch &) = delete;
        Scratch &operator=(const Scratch &) = delete;

        std::unique_ptr<Bundle> load(const fs::path &folder, const std::string &name) const
        {
            auto bundle = std::make_unique<Bundle>();
            bundle->name = name;
            bundle->meta = readJson(folder / "meta.json");
            const nlohmann::json truth = readJson(folder / "truth.json");
            bundle->truthMs = truth.is_object() ? truth.value("iteration_ms", 0.0) : 0.0;
            const fs::path project = m_folder / "bundle.longpole";
            fs::remove(project);
            core::importBundle({ folder }, project, {}, {});
            bundle->project = core::loadProject(project, {});
            const core::ProjectReader reader(project);
            bundle->predictor.emplace(core::predictorOf(bundle->project, reader, {}));
            bundle->predictor->findModels(core::effect::Batch, {});
            bundle->predictor->setSources({}); // the file goes
            bundle->unchanged = tests::predict(*bundle->predictor, {});
            return bundle;
        }

    private:
        fs::path m_folder;
    };

    std::size_t filesIn(const fs::path &folder)
    {
        const fs::directory_iterator entries(folder);
        return static_cast<std::size_t>(
            std::count_if(begin(entries), end(entries), [](const fs::directory_entry &entry) {
                return entry.is_regular_file();
            }));
    }

    bool hasIterationsOfRanks(const Bundle &bundle)
    {
        return bundle.project.trace->workers.size() > 1 && bundle.project.graph->iterationCount > 0
            && core::hasKnownIterations(*bundle.project.trace);
    }

    /// What meta.json states only of a job that differs from its base by more than bucket size and
    /// bandwidth: a bundle may state it without naming a base.
    bool isChanged(const nlohmann::json &meta)
    {
        static constexpr std::array Keys { "what_if",       "compression", "grad_accumulation",
                                           "recompute",     "slow",        "link_mbit",
                                           "compute_scale", "batch_scale" };
        return std::any_of(Keys.begin(), Keys.end(),
                           [&meta](const char *key) { return meta.contains(key); });
    }

} // namespace

bool Bundle::isPlain() const
{
    return meta.is_object() && meta.value("kind", "") == "allreduce" && !isChanged(meta)
        && !isSkewed();
}

bool Bundle::isSameButForBandwidth(const Bundle &other) const
{
    const auto withoutBandwidth = [](nlohmann::json job) {
        for (const char *key : { "name", "bandwidth_mbit", "what_if" })
            job.erase(key);
        return job;
    };
    return meta.is_object() && other.meta.is_object() && !isSkewed() && !other.isSkewed()
        && withoutBandwidth(meta) == withoutBandwidth(other.meta);
}

bool Bundle::isSkewed() const
{
    return name.find("-skew") != std::string::npos;
}

std::string Bundle::jobName() const
{
    return meta.value("model", "") + " w" + std::to_string(meta.value("workers", 0));
}

std::unique_ptr<Bundle> loadBundle(const fs::path &folder, const std::string &name)
{
    return Scratch().load(folder, name);
}

Bundles loadTestbed(const fs::path &testbed, bool &isGood)
{
    std::set<fs::path> folders;
    for (const auto &entry : fs::directory_iterator(testbed))
        if (entry.is_directory())
            folders.insert(entry.path());
    const Scratch scratch;
    Bundles bundles;
    for (const fs::path &folder : folders) {
        try {
            bundles.push_back(scratch.load(folder, folder.filename().string()));
        } catch (const std::exception &error) {
            std::printf("%s: %s\n", folder.filename().c_str(), error.what());
            isGood = false;
        }
    }
    return bundles;
}

Bundles loadReal(const fs::path &folder)
{
    std::set<fs::path> folders;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
        if (entry.is_directory() && filesIn(entry.path()) > 1)
            folders.insert(entry.path());
    const Scratch scratch;
    Bundles bundles;
    for (const fs::path &path : folders) {
        try {
            auto bundle = scratch.load(path, fs::relative(path, folder).string());
            if (hasIterationsOfRanks(*bundle))
                bundles.push_back(std::move(bundle));
        } catch (const std::exception &) {
            continue; // what is refused is the importers' tests' concern
        }
    }
    return bundles;
}

} // namespace accuracy
