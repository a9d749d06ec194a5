#pragma once

#include <string>
#include <string_view>

namespace collectors {

/// A string that a program has registered with NVTX, or a domain. Its address is the handle, which
/// programs may use to the end.
struct NamedHandle
{
    std::string name;
    NamedHandle *next = nullptr;
};

/// The handle of that name. Programs that register the same one again and again get the same one,
/// so that it costs memory once. From any thread; nullptr (a handle without a name) if there is no
/// memory, or if there are a hundred thousand already.
NamedHandle *namedHandle(std::string_view name) noexcept;

} // namespace collectors
