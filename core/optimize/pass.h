#pragma once

#include "core/change/change_traits.h"

#include <optional>
#include <string>
#include <string_view>

namespace core {

class Search;

/// Facts of a pass that no job changes.
struct PassInfo
{
    std::string_view name; ///< "bucket_cap"; of `--passes`
    std::string_view title; ///< "Bucket size"
    std::string_view hint; ///< one sentence
    std::string_view source; ///< paper or rule that it follows; empty: none
    Numerics numerics = Numerics::Exact; ///< Reduced: only where the user allows it
    bool isAnotherSystem = false; ///< the job would have to run on it: only where it is named
};

/// A family of strategies that is searched. It proposes changes and predicts nothing itself. One
/// file pair each and one line in pass_list.cpp.
class Pass
{
public:
    Pass() = default;
    virtual ~Pass() = default;
    Pass(const Pass &) = delete;
    Pass &operator=(const Pass &) = delete;
    Pass(Pass &&) = delete;
    Pass &operator=(Pass &&) = delete;

    virtual const PassInfo &info() const = 0;
    /// Why the trace does not support it, and what to do; empty where it does.
    virtual std::optional<std::string> obstacle(const Search &search) const = 0;
    /// Proposes by Search::propose(), from the best strategy so far, until nothing is left to try.
    virtual void run(Search &search) const = 0;
};

} // namespace core
