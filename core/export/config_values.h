#pragma once

#include "core/change/change.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/export/config_target.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The changes of a strategy that a target has words for; the others are told as left out.
class ConfigValues
{
public:
    /// `request` outlives it.
    explicit ConfigValues(const ConfigRequest &request);

    /// The number of that change, which is then expressed.
    std::optional<double> take(std::string_view key);
    /// The number, which is not expressed by that.
    std::optional<double> look(std::string_view key) const { return m_strategy.number(key); }
    std::optional<std::string> lookText(std::string_view key) const { return m_strategy.text(key); }
    /// As take(), of a word.
    std::optional<std::string> takeText(std::string_view key);
    /// Sizes of DDP's buckets, MiB. Buckets of `gradients` become sizes where some make them, and
    /// are left out with a reason elsewhere.
    BucketChanges takeSizes();
    /// Number of tensors in each bucket, as `gradients` says it or as DDP's sizes make them. Empty
    /// where the strategy has none of both, or the job no buckets.
    std::optional<std::vector<std::size_t>> takeGroups();
    /// Takes op_fusion where it is one of `words`, with what says how much joining saves: no
    /// setting, but a fact of the prediction. Else leaves it out, for this reason: a sentence.
    bool takeFusion(const std::vector<std::string> &words, const std::string &why);
    /// Leaves the change out, for this reason: a sentence.
    void leaveOut(std::string_view key, const std::string &why);
    /// Sets what was not taken, a line each, and how many were.
    void close(ConfigFile &file) const;

private:
    const MeasuredJob &m_job;
    Strategy m_strategy; ///< that is left
    std::vector<std::string> m_notes;
    std::size_t m_taken = 0;
};

/// Whether partitions go in the order in which the next forward pass needs them: P3's order, which
/// ByteScheduler's is, too.
bool sendsInForwardOrder(std::string_view schedule);

/// Partitions of gradients.
struct SentPartitions
{
    std::optional<double> bytes, creditBytes; ///< of one; under way at once, empty: no limit
};

/// What the strategy says of partitions, which is then expressed; what it leaves open is as in its
/// prediction, with a note. Empty where it sends none.
SentPartitions takePartitions(ConfigValues &values, const ConfigRequest &request, ConfigFile &file);

/// The parameters of tensorBytesOf() by their names; empty where meta.json does not list just them.
std::vector<std::string> tensorNamesOf(const MeasuredJob &job);

/// 2 where gradients are to be sent in half precision, which is then expressed; else 1.
double halfPrecisionRatio(ConfigValues &values);

/// The bytes of the tensors that each rank reduces, in the order in which they become ready. Empty
/// where the trace does not show it.
const std::vector<std::uint64_t> &tensorBytesOf(const MeasuredJob &job);

/// Lines behind a comment sign.
std::string commentLines(const std::vector<std::string> &lines, std::string_view sign);

/// "NAME = 5" or "NAME=5" at the beginning of a line; the text behind it, without spaces and
/// quotes.
std::optional<std::string> assignedText(const std::string &text, std::string_view name);
/// The same as a number; throws Error where it is none.
std::optional<double> assignedNumber(const std::string &text, std::string_view name);

/// "5", "0.25": as all targets read it.
std::string configNumber(double value);

} // namespace core
