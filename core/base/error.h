#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace core {

/// Where in an input something was found. `offset` counts bytes of the *uncompressed* file from 0.
struct SourcePosition
{
    std::string file;
    std::optional<std::uint64_t> offset;
};

/// What ends a job. The message is for people: what happened, where, and what to do about it.
/// Caught in exactly two places: ui::Job and app/cli_main.cpp.
class Error : public std::runtime_error
{
public:
    explicit Error(const std::string &message, SourcePosition where = {});

    const SourcePosition &where() const noexcept { return m_where; }
    /// The message alone; what() begins with the position.
    const std::string &message() const noexcept { return m_message; }

private:
    SourcePosition m_where;
    std::string m_message;
};

/// A wrong use of a command or a setting (exit code 2), as opposed to bad input.
class UsageError : public Error
{
public:
    using Error::Error;
};

} // namespace core
