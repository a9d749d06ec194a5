#include "core/optimize/strategy_file.h"

#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/measure/exact_text.h"
#include "core/measure/framework.h"
#include "core/optimize/search_words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

namespace core {

namespace {

    using Json = nlohmann::ordered_json;

    constexpr const char *Schema = "longpole-strategy";
    constexpr int Version = 1;
    constexpr std::uintmax_t MostBytes = 64U << 20U; ///< some 100 times those of 10,000 tensors

    const std::vector<std::uint64_t> &tensorBytes(const Graph &graph)
    {
        static const std::vector<std::uint64_t> none;
        const GradientStep *const step = usualStep(graph);
        return step == nullptr ? none : step->parameterBytes;
    }

    /// {"tensors": [{"bytes": 40}, ...], "order": "ready", "cycle": [[{"tensors": [0, 3]}, ...]]}
    Json cutsJson(const std::vector<std::size_t> &counts, const Graph &graph)
    {
        Json tensors = Json::array(), buckets = Json::array();
        for (const std::uint64_t bytes : tensorBytes(graph))
            tensors.push_back({ { "bytes", bytes } });
        std::size_t next = 0;
        for (const std::size_t count : counts) {
            buckets.push_back({ { "tensors", { next, next + count - 1 } } });
            next += count;
        }
        return { { "tensors", tensors }, { "order", "ready" }, { "cycle", { buckets } } };
    }

    Json changeJson(const Change &change, const Graph &graph)
    {
        Json json { { "key", change.key } };
        if (!change.ranks.empty())
            json["ranks"] = change.ranks;
        if (const auto number = change.number())
            json["value"] = *number;
        else if (const auto counts = change.key == CutsKey
                     ? bucketCounts(change.valueText())
                     : std::optional<std::vector<std::size_t>> {})
            json["value"] = cutsJson(*counts, graph);
        else
            json["value"] = change.valueText();
        return json;
    }

    std::vector<Change> sorted(std::vector<Change> changes)
    {
        std::sort(changes.begin(), changes.end());
        return changes;
    }

    Json stepsJson(const std::vector<StrategyStep> &steps)
    {
        Json json = Json::array();
        for (const StrategyStep &step : steps)
            json.push_back({ { "pass", step.pass },
                             { "change", step.change },
                             { "before_ns", step.beforeNs },
                             { "after_ns", step.afterNs },
                             { "reason", step.reason } });
        return json;
    }

    Json jobJson(const MeasuredJob &job)
    {
        return { { "framework", frameworkName(frameworkOf(job.graph.names)) },
                 { "ranks", job.trace.workers.size() },
                 { "tensors", tensorBytes(job.graph).size() } };
    }

    Json partsJson(const PartTimes &parts)
    {
        return { { "compute_ns", parts.computeNs },
                 { "exposed_comm_ns", parts.exposedCommNs },
                 { "overlap_ns", parts.overlapNs },
                 { "copies_ns", parts.memOnlyNs },
                 { "idle_ns", parts.idleNs } };
    }

    PartTimes partsOf(const Json &json)
    {
        const auto part = [&json](const char *key) { return json.value(key, std::int64_t { 0 }); };
        return { part("compute_ns"), part("exposed_comm_ns"), part("overlap_ns"), part("copies_ns"),
                 part("idle_ns") };
    }

    std::optional<TrustLevel> trustNamed(const std::string &name)
    {
        for (const TrustLevel level : { TrustLevel::Good, TrustLevel::Fair, TrustLevel::Poor })
            if (trustLevelName(level) == name)
                return level;
        return std::nullopt;
    }

    /// Two whole numbers.
    std::optional<std::pair<std::int64_t, std::int64_t>> intervalOf(const Json &json,
                                                                    const char *key)
    {
        const auto found = json.find(key);
        if (found == json.end() || !found->is_array() || found->size() != 2
            || !(*found)[0].is_number_integer() || !(*found)[1].is_number_integer())
            return std::nullopt;
        return std::pair((*found)[0].get<std::int64_t>(), (*found)[1].get<std::int64_t>());
    }

    /// The beginning of all strategy files.
    Json headJson(const Strategy &strategy, const MeasuredJob &job, const StrategyOrigin &origin)
    {
        Json json { { "schema", Schema }, { "version", Version } };
        json["made_by"] = { { "program", "longpole " LONGPOLE_VERSION },
                            { "command", origin.command },
                            { "seed", origin.seed } };
        json["for"] = jobJson(job);
        json["changes"] = Json::array();
        for (const Change &change : sorted(strategy.changes))
            json["changes"].push_back(changeJson(change, job.graph));
        json["numerics"] = numericsName(numericsOf(strategy));
        return json;
    }

    /// Reads one file.
    class StrategyParser
    {
    public:
        StrategyParser(std::string name, const MeasuredJob &job)
            : m_name(std::move(name))
            , m_job(job)
        {
        }

        StrategyFile parse(const std::string &text)
        {
            const Json json = Json::parse(text, nullptr, false);
            if (json.is_discarded() || !json.is_object())
                fail("is not JSON of one object. Write it with 'longpole optimize -o'");
            if (json.value("schema", "") != Schema)
                fail(std::string("has no \"schema\": \"") + Schema
                     + "\", so it is no strategy of Longpole");
            const auto version = json.find("version");
            if (version == json.end() || !version->is_number_integer() || *version != Version)
                fail("is of another version of strategy files; this program reads version "
                     + std::to_string(Version));
            noteUnknown(json,
                        { "schema", "version", "made_by", "for", "changes", "numerics", "predicted",
                          "why", "steps", "advice" },
                        "");
            noteOtherJob(json.value("for", Json::object()));
            for (const Json &line : json.value("why", Json::array()))
                if (line.is_string())
                    m_file.explanation.push_back(line.get<std::string>());
            for (const Json &step : json.value("steps", Json::array()))
                if (step.is_object())
                    m_file.steps.push_back({ step.value("pass", ""), step.value("change", ""),
                                             step.value("reason", ""),
                                             step.value("before_ns", std::int64_t { 0 }),
                                             step.value("after_ns", std::int64_t { 0 }) });
            const auto changes = json.find("changes");
            if (changes == json.end() || !changes->is_array())
                fail("has no list \"changes\"");
            std::vector<std::string> words;
            for (std::size_t i = 0; i < changes->size(); ++i)
                words.push_back(changeWord((*changes)[i], "changes[" + std::to_string(i) + "]"));
            try {
                m_file.strategy = parseStrategy(words);
            } catch (const UsageError &error) {
                fail(std::string("has a change that cannot be: ") + error.what());
            }
            return std::move(m_file);
        }

    private:
        [[noreturn]] void fail(const std::string &what) const
        {
            throw Error("The strategy file '" + m_name + "' " + what
                        + (what.ends_with('.') ? "" : "."));
        }

        /// Settings alone fit any job, but their prediction was another one's.
        void noteOtherJob(const Json &made)
        {
            const Json own = jobJson(m_job);
            for (const char *key : { "ranks", "tensors" })
                if (made.is_object() && made.contains(key) && made[key] != own[key])
                    m_file.notes.push_back("It was made for a job of " + made[key].dump() + " "
                                           + key + "; this one has " + own[key].dump() + ".");
        }

        void noteUnknown(const Json &object, const std::set<std::string> &known,
                         const std::string &where)
        {
            for (const auto &[key, value] : object.items())
                if (!known.contains(key))
                    m_file.notes.push_back("\"" + where + key
                                           + "\" is not known to this version and has no effect.");
        }

        /// "KEY:RANKS=VALUE", as `--set` takes it.
        std::string changeWord(const Json &json, const std::string &where)
        {
            if (!json.is_object() || !json.contains("key") || !json["key"].is_string()
                || !json.contains("value"))
                fail("has no \"key\" and \"value\" at " + where);
            noteUnknown(json, { "key", "value", "ranks" }, where + ".");
            const auto key = json["key"].get<std::string>();
            std::string word = key;
            if (json.contains("ranks"))
                word += ":" + ranksText(json["ranks"], where);
            word += "=" + valueText(key, json["value"], where);
            return word;
        }

        std::string ranksText(const Json &ranks, const std::string &where) const
        {
            if (!ranks.is_array())
                fail("has \"ranks\" that are no list at " + where);
            std::vector<int> numbers;
            for (const Json &rank : ranks) {
                if (!rank.is_number_unsigned() || rank > std::numeric_limits<int>::max())
                    fail("has a rank that is no number at " + where);
                numbers.push_back(rank.get<int>());
            }
            return changedRanksText(numbers);
        }

        std::string valueText(const std::string &key, const Json &value, const std::string &where)
        {
            if (value.is_number())
                return exactText(value.get<double>());
            if (value.is_string())
                return value.get<std::string>();
            if (key == CutsKey && value.is_object())
                return cutsText(value, where);
            fail("has a value that is neither number nor text at " + where);
        }

        /// Tensors are matched by their sizes, in the order in which they become ready.
        std::string cutsText(const Json &value, const std::string &where)
        {
            noteUnknown(value, { "tensors", "order", "cycle" }, where + ".value.");
            if (value.value("order", "ready") != "ready")
                fail("sends gradients in another order than that of readiness at " + where);
            const std::vector<std::uint64_t> &own = tensorBytes(m_job.graph);
            const Json tensors = value.value("tensors", Json::array());
            if (tensors.size() != own.size())
                fail("is of a job with " + std::to_string(tensors.size())
                     + " tensors, and this one reduces " + std::to_string(own.size())
                     + ". Search again on this project");
            for (std::size_t i = 0; i < own.size(); ++i)
                if (!tensors[i].is_object()
                    || tensors[i].value("bytes", std::uint64_t { 0 }) != own[i])
                    fail("is of a job with other tensors: number " + std::to_string(i) + " has "
                         + std::to_string(own[i]) + " bytes here. Search again on this project");
            const Json cycle = value.value("cycle", Json::array());
            if (!cycle.is_array() || cycle.size() != 1 || !cycle[0].is_array())
                fail("needs a \"cycle\" of one iteration at " + where);
            std::vector<std::size_t> counts;
            std::size_t next = 0;
            for (const Json &bucket : cycle[0]) {
                if (bucket.is_object())
                    noteUnknown(bucket, { "tensors" }, where + ".value.cycle.");
                const Json range = bucket.is_object() ? bucket.value("tensors", Json()) : Json();
                const bool isRange = range.is_array() && range.size() == 2
                    && range[0].is_number_unsigned() && range[1].is_number_unsigned()
                    && range[0].get<std::size_t>() == next && range[1] >= range[0]
                    && range[1] < own.size();
                if (!isRange)
                    fail("has buckets that are not consecutive ranges of tensors at " + where);
                counts.push_back(range[1].get<std::size_t>() + 1 - next);
                next += counts.back();
            }
            return bucketCountsText(counts);
        }

        std::string m_name;
        const MeasuredJob &m_job;
        StrategyFile m_file;
    };

} // namespace

std::vector<StrategyStep> stepsTo(const SearchResult &result, const Candidate &candidate)
{
    const auto &own = candidate.strategy.changes;
    const auto leadsThere = [&](const SearchStep &step) {
        return step.pass == candidate.pass
            || std::all_of(step.strategy.changes.begin(), step.strategy.changes.end(),
                           [&own](const Change &change) {
                               return std::find(own.begin(), own.end(), change) != own.end();
                           });
    };
    std::vector<StrategyStep> path;
    std::int64_t beforeNs = result.baselineNs;
    for (std::size_t i = 0; i <= candidate.step; ++i) {
        const SearchStep &step = result.steps[i];
        if (i != candidate.step && !(step.isAccepted && leadsThere(step)))
            continue;
        path.push_back({ step.pass, step.change, step.reason, beforeNs, *step.predictedNs });
        beforeNs = *step.predictedNs;
    }
    return path;
}

std::string strategyText(const SearchResult &result, const Candidate *chosen,
                         const MeasuredJob &job, const StrategyOrigin &origin)
{
    const Strategy &strategy = chosen != nullptr ? chosen->strategy : result.environment;
    Json json = headJson(strategy, job, origin);
    json["advice"] = chosen != nullptr ? chosen->change
        : result.steps.empty()         ? "nothing could be tried"
        : result.isStopped             ? "stopped before a gain was found"
                                       : "no gain worth having";
    Json &predicted = json["predicted"];
    predicted["iteration_ns"] = chosen != nullptr ? chosen->predictedNs : result.baselineNs;
    predicted["unchanged_ns"] = result.baselineNs;
    if (chosen != nullptr && chosen->unknownInterval.empty())
        predicted["gain_ci95_ns"] = { chosen->gainLowNs, chosen->gainHighNs };
    json["why"] = chosen != nullptr ? Json(chosen->explanation) : Json::array();
    json["steps"] = chosen != nullptr ? stepsJson(stepsTo(result, *chosen)) : Json::array();
    return json.dump(1) + "\n";
}

StrategyFigures figuresOf(const Prediction &result, std::optional<std::uint64_t> peakMemoryBytes)
{
    StrategyFigures figures;
    figures.iterationNs = result.predictedNs;
    figures.unchangedNs = result.unchangedNs;
    figures.parts = result.predictedParts;
    figures.peakMemoryBytes = peakMemoryBytes;
    if (!result.isJudged)
        return figures;
    figures.trust = result.trust;
    if (!result.unknownInterval)
        figures.ci95Ns = { result.ciLowNs, result.ciHighNs };
    return figures;
}

std::string strategyText(const Strategy &strategy, const StrategyFigures &figures,
                         const MeasuredJob &job, const StrategyOrigin &origin)
{
    Json json = headJson(strategy, job, origin);
    Json &predicted = json["predicted"];
    predicted["iteration_ns"] = figures.iterationNs;
    predicted["unchanged_ns"] = figures.unchangedNs;
    if (figures.ci95Ns)
        predicted["iteration_ci95_ns"] = { figures.ci95Ns->first, figures.ci95Ns->second };
    if (figures.trust)
        predicted["trust"] = trustLevelName(*figures.trust);
    if (figures.parts)
        predicted["parts"] = partsJson(*figures.parts);
    if (figures.peakMemoryBytes)
        predicted["peak_memory_bytes"] = *figures.peakMemoryBytes;
    return json.dump(1) + "\n";
}

std::optional<StrategyFigures> figuresIn(const std::string &text)
{
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("predicted") || !json["predicted"].is_object())
        return std::nullopt;
    const Json &predicted = json["predicted"];
    try {
        StrategyFigures figures;
        figures.iterationNs = predicted.value("iteration_ns", std::int64_t { 0 });
        figures.unchangedNs = predicted.value("unchanged_ns", std::int64_t { 0 });
        figures.ci95Ns = intervalOf(predicted, "iteration_ci95_ns");
        if (const auto gain = intervalOf(predicted, "gain_ci95_ns"); gain && !figures.ci95Ns)
            figures.ci95Ns
                = { figures.unchangedNs - gain->second, figures.unchangedNs - gain->first };
        figures.trust = trustNamed(predicted.value("trust", ""));
        if (predicted.contains("parts") && predicted["parts"].is_object())
            figures.parts = partsOf(predicted["parts"]);
        if (predicted.contains("peak_memory_bytes"))
            figures.peakMemoryBytes = predicted["peak_memory_bytes"].get<std::uint64_t>();
        return figures.iterationNs > 0 ? std::optional(figures) : std::nullopt;
    } catch (const nlohmann::json::exception &) {
        return std::nullopt; // its settings count, whoever wrote the figures
    }
}

StrategyFile parseStrategyFile(const std::string &text, const std::string &name,
                               const MeasuredJob &job)
{
    try {
        return StrategyParser(name, job).parse(text);
    } catch (const nlohmann::json::exception &) {
        throw Error(
            "The strategy file '" + name
            + "' has a member of a wrong type. Write it again with 'longpole optimize -o'.");
    }
}

StrategyFile readStrategy(const std::filesystem::path &file, const Strategy &settings,
                          const MeasuredJob &job)
{
    StrategyFile read = readStrategyFile(file, job);
    const Strategy own = read.strategy;
    read.strategy = Search::with(own, settings);
    if (const std::string contradiction = contradictionOf(read.strategy); !contradiction.empty())
        throw UsageError(contradiction);
    for (const Change &change : own.changes)
        if (read.strategy.find(change.key) == nullptr && change.ranks.empty())
            read.notes.push_back(change.name() + " gives way to --set.");
    return read;
}

StrategyFile readStrategyFile(const std::filesystem::path &file, const MeasuredJob &job)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (!error && size > MostBytes)
        throw Error("The strategy file '" + file.string() + "' has " + std::to_string(size)
                    + " bytes, which no strategy has. Name the file of 'longpole optimize -o'.");
    std::ifstream in(file, std::ios::binary);
    if (error || !in)
        throw Error("The strategy file '" + file.string()
                    + "' cannot be read. Write one with 'longpole optimize PROJECT -o FILE'.");
    const std::string text { std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>() };
    return parseStrategyFile(text, file.string(), job);
}

} // namespace core
