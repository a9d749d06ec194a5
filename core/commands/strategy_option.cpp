#include "core/commands/strategy_option.h"

#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/measure/job_metadata.h"
#include "core/optimize/strategy_file.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string_view>
#include <system_error>

namespace core {

namespace {

    constexpr std::string_view SizesPrefix = "gradient_sizes=";

    bool isOfSizes(std::string_view word)
    {
        return word.starts_with(SizesPrefix);
    }

    /// "4096,1024": bytes of each gradient.
    std::vector<std::uint64_t> sizesIn(std::string_view list)
    {
        std::vector<std::uint64_t> sizes;
        const char *next = list.data();
        const char *const end = list.data() + list.size();
        for (;;) {
            std::uint64_t bytes = 0;
            const auto [behind, error] = std::from_chars(next, end, bytes);
            if (error != std::errc() || bytes == 0 || bytes > MostGradientBytes
                || (behind != end && *behind != ','))
                throw UsageError("'gradient_sizes' takes bytes, separated by commas, in the order "
                                 "in which gradients become ready: gradient_sizes=4096,1024");
            sizes.push_back(bytes);
            if (behind == end)
                return sizes;
            next = behind + 1;
        }
    }

    /// "KEY=@FILE" with the file's lines as the value, which semicolons part: values are shown in
    /// one line. Other words as they are.
    std::string withFile(const std::string &word)
    {
        constexpr std::uintmax_t MostBytes = 16U << 20U;
        const std::size_t at = word.find("=@");
        if (at == std::string::npos)
            return word;
        const std::filesystem::path path = word.substr(at + 2);
        std::error_code error;
        if (!std::filesystem::is_regular_file(path, error))
            throw UsageError("'" + word + "': there is no file " + path.string() + ".");
        if (std::filesystem::file_size(path, error) > MostBytes || error)
            throw UsageError("'" + word + "': the file is larger than 16 MiB.");
        std::ifstream file(path, std::ios::binary);
        std::string content { std::istreambuf_iterator<char>(file), {} };
        if (!file)
            throw UsageError("'" + word + "': the file cannot be read.");
        std::erase(content, '\r');
        while (content.ends_with('\n'))
            content.pop_back();
        std::replace(content.begin(), content.end(), '\n', ';');
        return word.substr(0, at + 1) + content;
    }

} // namespace

std::vector<std::string> changeWords(std::vector<std::string> words)
{
    std::erase_if(words, isOfSizes);
    std::transform(words.begin(), words.end(), words.begin(), withFile);
    return words;
}

StatedJob statedJobIn(const std::vector<std::string> &words)
{
    StatedJob job;
    for (const std::string &word : words) {
        if (!isOfSizes(word))
            continue;
        if (!job.gradientBytes.empty())
            throw UsageError("'gradient_sizes' is given twice. Give it once.");
        job.gradientBytes = sizesIn(std::string_view(word).substr(SizesPrefix.size()));
    }
    return job;
}

void StrategyOption::declare(CLI::App &app, const std::string &meaning)
{
    app.add_option("--set", m_settings,
                   "KEY=VALUE, or KEY=@FILE for a file's content: " + meaning + ". Keys:\n"
                       + changeKeysText()
                       + "\n  gradient_sizes: BYTES,...; states sizes that the trace lacks")
        ->allow_extra_args(false);
    app.add_option("--strategy", m_file,
                   "Strategy file of 'longpole optimize': " + meaning + ". --set comes on top");
}

std::string StrategyOption::text() const
{
    std::string text = m_file.filename().string();
    for (const std::string &word : changeWords(m_settings))
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

void StrategyOption::check() const
{
    stated();
    parseStrategy(changeWords(m_settings));
}

Strategy StrategyOption::strategy(const MeasuredJob &job, const CommandIo &io) const
{
    Strategy settings = parseStrategy(changeWords(m_settings));
    if (m_file.empty())
        return settings;
    const StrategyFile file = readStrategy(m_file, settings, job);
    for (const std::string &note : file.notes)
        io.err << m_file.string() << ": " << note << "\n";
    return file.strategy;
}

} // namespace core
