#include "core/commands/profile/recorded_bundle.h"

#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"
#include "core/measure/student_t.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <system_error>

namespace core {

namespace fs = std::filesystem;

namespace {

    constexpr double BytesPerMebibyte = 1024.0 * 1024.0;
    constexpr int LargestRankCount = 1'000'000; ///< that a damaged file may claim

    /// Of "rank3.pt.trace.json.gz", as collectors/pytorch names them.
    std::optional<int> rankOfTrace(const std::string &name)
    {
        constexpr std::string_view Prefix = "rank", Suffix = ".pt.trace.json.gz";
        if (!name.starts_with(Prefix) || !name.ends_with(Suffix))
            return std::nullopt;
        const char *begin = name.data() + Prefix.size();
        const char *end = name.data() + name.size() - Suffix.size();
        int rank = -1;
        const auto [stop, error] = std::from_chars(begin, end, rank);
        const bool isWhole = error == std::errc() && stop == end && rank >= 0;
        return isWhole ? std::optional(rank) : std::nullopt;
    }

    constexpr double LargestFraction = 1e6; ///< of an iteration; more is damage

    constexpr const char *NothingRecorded
        = "nothing was recorded. A program that trains with PyTorch is recorded once an optimizer "
          "of torch.optim has made enough steps (see --warmup and --iterations) and the ranks are "
          "not killed before; where they said why not, that stands above. Without such an "
          "optimizer it takes two lines in the program: collectors/RECORDING.md, as for other "
          "frameworks";

    std::optional<int> countIn(const nlohmann::json &meta, const char *key)
    {
        const auto found = meta.find(key);
        if (found == meta.end() || !found->is_number_unsigned())
            return std::nullopt;
        const auto count = found->get<std::uint64_t>();
        return count <= LargestRankCount ? std::optional(static_cast<int>(count)) : std::nullopt;
    }

    /// A part of an iteration; what no recording costs counts as absent.
    std::optional<double> fractionIn(const nlohmann::json &facts, const char *key)
    {
        const auto found = facts.find(key);
        if (found == facts.end() || !found->is_number())
            return std::nullopt;
        const auto fraction = found->get<double>();
        return std::abs(fraction) <= LargestFraction ? std::optional(fraction) : std::nullopt;
    }

    /// Welch: the difference of two means (here of medians, whose errors are given) with unlike
    /// spreads has a t distribution of about this many degrees of freedom.
    std::size_t welchDegrees(double errorA, std::size_t countA, double errorB, std::size_t countB)
    {
        const double a = errorA * errorA, b = errorB * errorB;
        const double spread
            = a * a / static_cast<double>(countA - 1) + b * b / static_cast<double>(countB - 1);
        const std::size_t most = countA + countB - 2;
        const double degrees = (a + b) * (a + b) / spread;
        // No number where both errors are 0.
        return degrees < static_cast<double>(most)
            ? std::max<std::size_t>(1, static_cast<std::size_t>(degrees))
            : most;
    }

    std::optional<RecordingCost> costIn(const nlohmann::json &timing)
    {
        const auto fraction = fractionIn(timing, "overhead_fraction");
        if (!fraction)
            return std::nullopt;
        RecordingCost cost;
        cost.fraction = *fraction;
        cost.before
            = static_cast<std::size_t>(countIn(timing, "unrecorded_iterations").value_or(0));
        cost.recorded
            = static_cast<std::size_t>(countIn(timing, "recorded_iterations").value_or(0));
        const auto before = fractionIn(timing, "unrecorded_error_fraction");
        const auto recorded = fractionIn(timing, "recorded_error_fraction");
        if (before && recorded && cost.before > 1 && cost.recorded > 1)
            cost.noise = studentT95(welchDegrees(*before, cost.before, *recorded, cost.recorded))
                * (1 + *fraction) * std::hypot(*before, *recorded);
        return cost;
    }

    void readMetadata(RecordedBundle &bundle, const fs::path &file)
    {
        std::ifstream in(file);
        const auto meta = nlohmann::json::parse(in, nullptr, false);
        if (!meta.is_object())
            return;
        bundle.worldSize = countIn(meta, "workers");
        bundle.iterations = countIn(meta, "profiled_iterations");
        if (const auto timing = meta.find("timing"); timing != meta.end() && timing->is_object())
            bundle.cost = costIn(*timing);
    }

    std::string decimal(double number)
    {
        char text[64];
        std::snprintf(text, sizeof(text), "%.1f", number);
        return text;
    }

    /// A difference is told only where it exceeds the noise of what it is computed from.
    std::string costLine(const RecordingCost &cost)
    {
        const std::string of = "medians of " + std::to_string(cost.recorded) + " recorded and "
            + std::to_string(cost.before) + " iterations before";
        if (!cost.noise)
            return "what recording costs cannot be told from so few iterations of rank 0 (" + of
                + "); more --warmup and --iterations tell it";
        const std::string noise = decimal(100 * *cost.noise) + " %";
        if (std::abs(cost.fraction) <= *cost.noise)
            return "rank 0's recorded iterations took as long as those before, within the noise of "
                   "these iterations (+-"
                + noise + "; " + of + ")";
        return "rank 0's recorded iterations took " + decimal(100 * std::abs(cost.fraction))
            + " % (+-" + noise + ") " + (cost.fraction < 0 ? "less" : "longer")
            + " than those before (" + of + ")";
    }

    std::vector<int> missingRanks(const RecordedBundle &bundle)
    {
        std::vector<int> missing;
        for (int rank = 0; rank < bundle.worldSize.value_or(0); ++rank)
            if (!bundle.ranks.contains(rank))
                missing.push_back(rank);
        return missing;
    }

    std::string ranksLine(const RecordedBundle &bundle)
    {
        const std::string number = std::to_string(bundle.ranks.size());
        std::string line = bundle.worldSize
            ? number + " of " + countText(static_cast<std::size_t>(*bundle.worldSize), "rank")
            : countText(bundle.ranks.size(), "rank");
        if (bundle.iterations)
            line += ", " + countText(static_cast<std::size_t>(*bundle.iterations), "iteration")
                + " each";
        return line;
    }

} // namespace

RecordedBundle lookAtBundle(const fs::path &folder)
{
    RecordedBundle bundle;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
        std::error_code ignored;
        if (!at->is_regular_file(ignored))
            continue;
        if (at->path().extension() == ".part") { // the recorder's name until a file is whole
            ++bundle.unfinishedFiles;
            continue;
        }
        ++bundle.files;
        if (const auto size = at->file_size(ignored); !ignored)
            bundle.bytes += size;
        if (const auto rank = rankOfTrace(at->path().filename().string()))
            bundle.ranks.insert(*rank);
    }
    readMetadata(bundle, folder / "meta.json");
    return bundle;
}

std::vector<std::string> bundleLines(const RecordedBundle &bundle, const fs::path &folder,
                                     const RecordedBundle &before)
{
    std::vector<std::string> lines;
    if (bundle.unfinishedFiles > 0)
        lines.push_back(countText(bundle.unfinishedFiles, "file")
                        + " (.part) not written to the end: a rank was ended meanwhile, or is "
                          "still writing");
    if (bundle.files == 0) {
        lines.emplace_back(NothingRecorded);
        return lines;
    }
    if (bundle.files == before.files && bundle.bytes == before.bytes) {
        lines.push_back("this job added nothing to " + folder.string()
                        + ": where its ranks said why not, that stands above");
        return lines;
    }
    if (bundle.ranks.empty())
        lines.push_back("recorded no rank of PyTorch");
    else
        lines.push_back("recorded " + ranksLine(bundle));
    lines.back() += ": " + countText(bundle.files, "file") + ", "
        + decimal(static_cast<double>(bundle.bytes) / BytesPerMebibyte) + " MiB in "
        + folder.string();
    if (bundle.cost)
        lines.push_back(costLine(*bundle.cost));
    if (const std::vector<int> missing = missingRanks(bundle); !missing.empty())
        lines.push_back("nothing of " + ranksText(missing)
                        + ": if they ran on other hosts, copy their files into this folder. A rank "
                          "that was killed before the end of its recording leaves nothing");
    return lines;
}

} // namespace core
