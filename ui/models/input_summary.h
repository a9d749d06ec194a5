#pragma once

#include "core/project/read/project_reader.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ui {

/// A file of a project's input and how much went wrong in it.
struct InputFile
{
    core::SourceFile source;
    QString shownName; ///< without the folder that all files share
    std::uint64_t recordCount = 0; ///< of the file, stored in the project or not
    std::uint64_t problemCount = 0; ///< warnings and errors, each as often as it happened
    core::Severity worst = core::Severity::Info; ///< of its diagnostics and its status

    QString status; ///< the words of core::fileStatusText(), with a capital: "Cut off"
    QString reason; ///< of core::fileReasonText()
    bool isCut = false; ///< its end is missing
    std::optional<std::uint64_t> cutAt; ///< byte up to which it was read

    bool hasProblems() const { return worst != core::Severity::Info; }
};

/// A rank of a project and what it was read from.
struct InputRank
{
    int rank = 0;
    std::string host; ///< empty where no trace says it
    std::vector<std::string> files; ///< in the order of their import
    std::vector<std::string> formats; ///< of these files, each once
    std::uint64_t recordCount = 0; ///< of the rank, by all its files
    bool areIterationsKnown = true; ///< false: nothing tells them apart; the next two are 0
    std::size_t iterationCount = 0; ///< recorded whole
    std::int64_t medianIterationNs = 0; ///< of these; 0 without
    std::uint64_t problemCount = 0; ///< of its files
    core::Severity worst = core::Severity::Info; ///< of its files
};

/// What an import read and what it could not: a snapshot for models, views and the notice.
struct InputSummary
{
    /// As the project lists them, then those that only a diagnostic names.
    std::vector<InputFile> files;
    std::vector<InputRank> ranks; ///< by rank
    std::vector<core::Diagnostic> diagnostics; ///< worst first
    std::string commonFolder; ///< of all files, with the last "/"; may be empty
    std::size_t readCount = 0; ///< files with the status "read"
    std::size_t cutCount = 0; ///< of these, without their end
    std::size_t problemFileCount = 0; ///< of the others, with warnings or errors
    std::size_t refusedCount = 0; ///< files with warnings or errors that were not read
    std::uint64_t eventCount = 0; ///< as the command line's `info` counts them

    /// `file` without the common folder.
    QString shownName(const std::string &file) const;
    QStringList shownNames() const; ///< of all files
    const InputFile *find(const std::string &file) const; ///< null: not among `files`
    std::size_t countOf(core::Severity severity) const; ///< of diagnostics
    /// Of the diagnostics and the files' status.
    core::Severity worst() const;
};

InputSummary summarizeInput(const core::ProjectInfo &info);

/// "12 files read, 1 of them cut off, 2 with problems, 1 not imported, 1 left out"; "8 files read,
/// 1 problem" for one of no file.
QString inputSentence(const InputSummary &summary);

/// The stable id of a kind of diagnostic as words: "truncated-file" is "Truncated file".
QString problemName(const std::string &code);
QString severityTitle(core::Severity severity); ///< "Error", "Warning", "Note"

} // namespace ui
