#include "core/project/read/search_expression.h"

namespace core {

namespace {

    constexpr std::size_t MaxExpressionBytes = 200;
    constexpr auto ExpressionSyntax = std::regex::ECMAScript | std::regex::icase;
#ifdef __GLIBCXX__
    /// Breadth first: depth first overflows the stack on long names and may never end.
    constexpr auto ExpressionFlags = ExpressionSyntax | std::regex_constants::__polynomial;
#else
    constexpr auto ExpressionFlags = ExpressionSyntax;
#endif

    /// Absent: it compiles.
    std::optional<std::regex_constants::error_type> errorOf(const std::string &expression)
    {
        try {
            const std::regex tried = compileExpression(expression);
        } catch (const std::regex_error &error) {
            return error.code();
        }
        return std::nullopt;
    }

    /// The library tells one error for several faults; the character there tells which it is.
    std::string causeOf(std::regex_constants::error_type error, char there)
    {
        if (error == std::regex_constants::error_complexity
            || error == std::regex_constants::error_space
            || error == std::regex_constants::error_stack)
            return "the expression is too large, or refers back to a group";
        switch (there) {
        case '(':
        case ')':
            return "a parenthesis ( or ) has no partner";
        case '[':
            return error == std::regex_constants::error_brack
                ? "a bracket [ is not closed"
                : "a range in brackets [] is not valid";
        case '*':
        case '+':
        case '?':
            return "nothing stands before * + or ?";
        case '{':
            return "braces {} count what stands before them, such as a{2,3}";
        case '\\':
            return "\\ stands before a character that needs none";
        default:
            return "the expression is not valid";
        }
    }

} // namespace

std::regex compileExpression(const std::string &expression)
{
    return std::regex(expression, ExpressionFlags);
}

std::optional<ExpressionFault> faultOf(const std::string &expression)
{
    if (expression.size() > MaxExpressionBytes)
        return ExpressionFault { MaxExpressionBytes,
                                 "an expression has at most " + std::to_string(MaxExpressionBytes)
                                     + " bytes" };
    const auto error = errorOf(expression);
    if (!error)
        return std::nullopt;
    // Behind the longest beginning that is an expression.
    std::size_t at = expression.size() - 1;
    while (at > 0 && errorOf(expression.substr(0, at)))
        --at;
    return ExpressionFault { at, causeOf(*error, expression[at]) };
}

} // namespace core
