#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace core {

using ChangeValue = std::variant<double, std::string>;

/// One change of a job: a setting of a what-if, a remedy of a bottleneck, a step of a search.
struct Change
{
    std::string key; ///< "bandwidth_mbit"; one of changeTraits()
    ChangeValue value;
    std::vector<int> ranks; ///< ascending; whom it changes alone, empty: the whole job

    Change(std::string changedKey, double number, std::vector<int> changedRanks = {})
        : key(std::move(changedKey))
        , value(number)
        , ranks(std::move(changedRanks))
    {
    }
    Change(std::string changedKey, std::string text)
        : key(std::move(changedKey))
        , value(std::move(text))
    {
    }

    std::string name() const; ///< "bandwidth_mbit:1", as `--set` takes it
    std::string valueText() const; ///< "500"
    std::optional<double> number() const; ///< empty: the value is a text

    auto operator<=>(const Change &) const = default;
};

/// The ranks of "key:RANKS": "4,5", "0-7".
std::string changedRanksText(const std::vector<int> &ranks);

/// All changes of a job together. The order says nothing: kinds of change are
/// applied in the order of changeKinds().
struct Strategy
{
    std::vector<Change> changes; ///< one for each name()

    Strategy() = default;
    Strategy(std::initializer_list<Change> list)
        : changes(list)
    {
    }

    bool isEmpty() const { return changes.empty(); }
    /// The change of the whole job with that key; null: there is none.
    const Change *find(std::string_view key) const;
    /// Whether the whole job or some of its ranks are changed so.
    bool has(std::string_view key) const;
    /// The number that the whole job has; empty: not given.
    std::optional<double> number(std::string_view key) const;
    /// The text that the whole job has; empty: not given.
    std::optional<std::string> text(std::string_view key) const;
    /// True: a switch is on.
    bool isOn(std::string_view key) const { return number(key).value_or(0) != 0; }
    /// Changes of single ranks or groups with that key.
    std::vector<const Change *> ofRanks(std::string_view key) const;

    void set(Change change); ///< in place of one with the same name
    void remove(std::string_view key); ///< that of the whole job
    void removeAll(std::string_view key); ///< those of ranks, too

    /// ("bucket_cap_mb", "5") of each, for reports.
    std::vector<std::pair<std::string, std::string>> list() const;

    /// In any order.
    friend bool operator==(const Strategy &a, const Strategy &b);
};

} // namespace core
