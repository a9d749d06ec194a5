#pragma once

#include "ui/models/input_summary.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ui {

/// What is told of one diagnostic, one file or one rank of the input.
struct InputDetails
{
    core::Severity severity = core::Severity::Info; ///< its mark; Info and `isGood`: a check mark
    bool isGood = false;
    QString title;
    QString message; ///< what happened and what to do; may be empty
    std::vector<std::pair<QString, QString>> facts; ///< name and value
    std::string file; ///< as the project names it; empty: of no file
    std::optional<int> rank; ///< where it is about a rank and not a file
    std::optional<std::uint64_t> offset; ///< in the file's unpacked content

    /// All of it as lines, for the clipboard.
    QString asText() const;
};

InputDetails describeDiagnostic(const core::Diagnostic &diagnostic);
/// With what went wrong in the file, and its records by their category.
InputDetails describeFile(const InputFile &file, const InputSummary &summary);
/// With its files and what went wrong in them.
InputDetails describeRank(const InputRank &rank, const InputSummary &summary);

} // namespace ui
