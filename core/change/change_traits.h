#pragma once

#include <span>
#include <string_view>

namespace core {

/// What a change is about, as flags: predictions rest on other things for each.
namespace effect {
    inline constexpr unsigned Rate = 1U << 0; ///< of links
    inline constexpr unsigned Transfers = 1U << 1; ///< their rate, latency, ranks or algorithm
    inline constexpr unsigned Latency = 1U << 2; ///< how long one is, or how often it is paid
    inline constexpr unsigned Gradients = 1U << 3; ///< sent together, when, as how many bytes
    inline constexpr unsigned Ranks = 1U << 4; ///< how many there are
    inline constexpr unsigned Algorithm = 1U << 5; ///< of all-reduces
    inline constexpr unsigned Shares = 1U << 6; ///< how the work is shared among ranks
    inline constexpr unsigned Speed = 1U << 7; ///< of processors
    inline constexpr unsigned Batch = 1U << 8; ///< its size; needs the shapes of operations
    inline constexpr unsigned TransferTime = 1U << 9; ///< as a whole, by a factor
    inline constexpr unsigned Shown = 1U << 10; ///< in which detail the job is shown
    inline constexpr unsigned Buckets = 1U << 11; ///< which gradients are sent together
    inline constexpr unsigned Schedule = 1U << 12; ///< in which order, and what waits for them
    inline constexpr unsigned Compiled = 1U << 13; ///< which ops a compiler joins
    /// Transfers are predicted from the fit of measured ones.
    inline constexpr unsigned RestsOnLinks = Transfers | Gradients;
} // namespace effect

/// Where a panel of settings has a change.
enum class ChangeGroup { Gradients, Network, Computation };

enum class ChangeForm {
    Number,
    Switch, ///< 0 or 1
    Word, ///< one of several
    Text ///< as its kind reads it
};

/// What a change does to the numbers that the job computes.
enum class Numerics {
    Exact, ///< nothing
    Reduced ///< fewer bits are sent or computed with
};

/// What a slider of a change shows; a number beyond its range can be typed.
struct ChangeSlider
{
    double least = 0, most = 0, initial = 0;
    int decimals = 0;
    bool isLinear = false; ///< else logarithmic
    std::string_view suffix = {}; ///< behind the number, with its leading space
    double unit = 1; ///< of what is shown, in the change's own: MiB of a change in bytes
};

/// One of those that a change of words takes.
struct ChangeWord
{
    std::string_view word; ///< "ring"
    std::string_view title; ///< in a panel: "Ring"
    std::string_view countTitle = {}; ///< there is a number behind it, as in "ps:2": "servers"
    std::string_view hint = {}; ///< one sentence
};

/// What is known of a change without looking at a job: for help texts, panels and checks.
struct ChangeTraits
{
    std::string_view key; ///< of `--set`
    std::string_view unit; ///< "MiB"; of a Word the words that there are
    double least = 0, most = 0; ///< that can be given
    bool isWhole = false;
    bool isOfRank = false; ///< "key:RANK" changes one rank
    bool isOfRanks = false; ///< "key:RANKS" changes what several have in common
    ChangeForm form = ChangeForm::Number;
    std::string_view whyMost = {}; ///< there is a `most`, and what to do about it
    ChangeGroup group = ChangeGroup::Gradients;
    unsigned effects = 0, effectsOfRanks = 0; ///< flags of `effect`, of the whole job and of ranks
    std::string_view title = {}, hint = {}; ///< of its row in a panel
    ChangeSlider slider = {};
    std::span<const ChangeWord> words = {}; ///< of a Word
    std::string_view titleOfRanks = {}, hintOfRanks = {};
    double initialOfRanks = 0;
    Numerics numerics = Numerics::Exact;
};

} // namespace core
