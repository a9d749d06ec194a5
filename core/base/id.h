#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace core {

/// A dense index that cannot be mixed up with another kind of index. Valid ids count from 0.
template <class Tag, class Value = std::uint32_t>
struct Id
{
    Value value = 0;

    constexpr Id() = default;
    constexpr explicit Id(Value v)
        : value(v)
    {
    }
    friend constexpr auto operator<=>(Id, Id) = default;
};

} // namespace core

template <class Tag, class Value>
struct std::hash<core::Id<Tag, Value>>
{
    std::size_t operator()(core::Id<Tag, Value> id) const noexcept
    {
        return std::hash<Value> {}(id.value);
    }
};
