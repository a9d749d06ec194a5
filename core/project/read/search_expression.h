#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>

namespace core {

/// Fault of a regular expression.
struct ExpressionFault
{
    std::size_t at = 0; ///< byte, from 0
    std::string cause; ///< for people
};

/// Empty: compileExpression() takes it.
std::optional<ExpressionFault> faultOf(const std::string &expression);

/// ECMAScript; ASCII letters match in either case. Throws std::regex_error.
std::regex compileExpression(const std::string &expression);

} // namespace core
