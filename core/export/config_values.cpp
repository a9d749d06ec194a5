#include "core/export/config_values.h"

#include "core/base/error.h"
#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/measured_partitions.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/measure/exact_text.h"
#include "core/measure/job_metadata.h"

#include <algorithm>
#include <charconv>

namespace core {

ConfigValues::ConfigValues(const ConfigRequest &request)
    : m_job(request.job)
    , m_strategy(request.strategy)
{
}

BucketChanges ConfigValues::takeSizes()
{
    const auto text = takeText(CutsKey);
    if (!text)
        return { take("bucket_cap_mb"), take("first_bucket_mb") };
    const auto counts = bucketCounts(*text);
    const auto limits = counts ? limitsOfBuckets(tensorBytesOf(m_job), *counts) : std::nullopt;
    if (!limits) {
        --m_taken;
        m_notes.push_back("gradients=" + *text + ": one size of buckets cannot say these.");
        return {};
    }
    const auto inMb = [](std::uint64_t size) { return static_cast<double>(size) / BytesPerMb; };
    return { inMb(limits->capBytes), inMb(limits->firstBytes) };
}

std::optional<std::vector<std::size_t>> ConfigValues::takeGroups()
{
    if (const auto text = takeText(CutsKey))
        return bucketCounts(*text);
    const std::vector<std::uint64_t> &bytes = tensorBytesOf(m_job);
    if (bytes.empty() || (!m_strategy.has("bucket_cap_mb") && !m_strategy.has("first_bucket_mb")))
        return std::nullopt;
    const BucketLimits limits = bucketLimits(m_job.graph, m_job.trace,
                                             { take("bucket_cap_mb"), take("first_bucket_mb") });
    return bucketLayout(bytes, limits.firstBytes, limits.capBytes);
}

std::optional<double> ConfigValues::take(std::string_view key)
{
    const auto number = m_strategy.number(key);
    if (number) {
        m_strategy.remove(key);
        ++m_taken;
    }
    return number;
}

std::optional<std::string> ConfigValues::takeText(std::string_view key)
{
    auto text = m_strategy.text(key);
    if (text) {
        m_strategy.remove(key);
        ++m_taken;
    }
    return text;
}

bool ConfigValues::takeFusion(const std::vector<std::string> &words, const std::string &why)
{
    const auto text = m_strategy.text(OpFusionKey);
    if (!text || std::find(words.begin(), words.end(), *text) == words.end()) {
        leaveOut(OpFusionKey, why);
        return false;
    }
    takeText(OpFusionKey);
    for (const std::string_view fact : { FusionSavingKey, FusionTimesKey })
        m_strategy.remove(fact);
    return true;
}

void ConfigValues::leaveOut(std::string_view key, const std::string &why)
{
    const Change *const change = m_strategy.find(key);
    if (change == nullptr)
        return;
    m_notes.push_back(change->name() + "=" + change->valueText() + ": " + why);
    m_strategy.remove(key);
}

void ConfigValues::close(ConfigFile &file) const
{
    file.expressed = m_taken;
    file.leftOut.insert(file.leftOut.end(), m_notes.begin(), m_notes.end());
    for (const auto &[key, value] : m_strategy.list())
        file.leftOut.push_back(key + "=" + value + ": there is no such setting there.");
}

bool sendsInForwardOrder(std::string_view schedule)
{
    return schedule == "p3" || schedule == "bytescheduler";
}

SentPartitions takePartitions(ConfigValues &values, const ConfigRequest &request, ConfigFile &file)
{
    SentPartitions sent { values.take("partition_bytes"), values.take("credit_bytes") };
    const PartitionChanges changes = withRecordedPartitions(partitionChanges(request.strategy),
                                                            request.job.trace, request.job.graph);
    if (!changes.arePartitioned())
        return sent;
    const PartitionLimits limits = partitionLimits(changes);
    const auto isOpen = [&file](const char *what, double bytes) {
        file.notes.push_back("The strategy leaves the " + std::string(what)
                             + " open. The file says " + configNumber(bytes)
                             + " bytes, as the prediction does.");
        return bytes;
    };
    if (!sent.bytes)
        sent.bytes = isOpen("size of partitions", static_cast<double>(limits.partitionBytes));
    if (!sent.creditBytes && limits.creditBytes > 0)
        sent.creditBytes = isOpen("credit", static_cast<double>(limits.creditBytes));
    return sent;
}

std::vector<std::string> tensorNamesOf(const MeasuredJob &job)
{
    const std::vector<std::uint64_t> &bytes = tensorBytesOf(job);
    std::vector<std::string> names;
    for (const StatedParameter &parameter : statedParameters(job.trace)) {
        if (names.size() == bytes.size() || parameter.bytes != bytes[names.size()])
            return {};
        names.push_back(parameter.name);
    }
    return names.size() == bytes.size() ? names : std::vector<std::string>();
}

double halfPrecisionRatio(ConfigValues &values)
{
    return values.look("compression") == 2.0 ? *values.take("compression") : 1;
}

const std::vector<std::uint64_t> &tensorBytesOf(const MeasuredJob &job)
{
    static const std::vector<std::uint64_t> none;
    const GradientStep *const step = usualStep(job.graph);
    return step == nullptr ? none : step->parameterBytes;
}

std::string commentLines(const std::vector<std::string> &lines, std::string_view sign)
{
    std::string text;
    for (const std::string &line : lines)
        text += std::string(sign) + (line.empty() ? "" : " ") + line + "\n";
    return text;
}

std::optional<std::string> assignedText(const std::string &text, std::string_view name)
{
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line(text.data() + begin, end - begin);
        begin = end + 1;
        for (const std::string_view prefix : { std::string_view("export "), std::string_view() })
            if (line.starts_with(prefix))
                line.remove_prefix(prefix.size());
        if (!line.starts_with(name))
            continue;
        line.remove_prefix(name.size());
        while (line.starts_with(' '))
            line.remove_prefix(1);
        if (!line.starts_with('='))
            continue;
        std::string value;
        for (const char c : line.substr(1))
            if (c == '#')
                break;
            else if (c != ' ' && c != '"')
                value += c;
        return value;
    }
    return std::nullopt;
}

std::optional<double> assignedNumber(const std::string &text, std::string_view name)
{
    const auto value = assignedText(text, name);
    if (!value)
        return std::nullopt;
    double number = 0;
    const char *const end = value->data() + value->size();
    const auto read = std::from_chars(value->data(), end, number);
    if (read.ec != std::errc() || read.ptr != end)
        throw Error("'" + std::string(name) + "' is no number in the exported file: " + *value
                    + ".");
    return number;
}

std::string configNumber(double value)
{
    return exactText(value);
}

} // namespace core
