#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace core {

/// Measured times of two ops that a compiler joined, by their names: dPRO's opfs_time (Hu et al.,
/// MLSys 2022, section 5).
class FusionTimes
{
public:
    FusionTimes() = default;
    /// Reads rows "first,second,microseconds" (RFC 4180) that end with a line break or a semicolon.
    /// A first row whose last field is "microseconds" is a heading. Throws Error that names the
    /// row.
    explicit FusionTimes(std::string_view rows);

    /// Time, ns, of `second` and `first` together; empty: not measured.
    std::optional<std::int64_t> of(std::string_view first, std::string_view second) const;

private:
    std::map<std::pair<std::string, std::string>, std::int64_t> m_ns;
};

} // namespace core
