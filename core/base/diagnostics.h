#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

enum class Severity { Info, Warning, Error };

std::string_view severityName(Severity severity);

/// One kind of thing that went wrong (or is worth knowing) in one file, with how often it happened.
/// `code` is a stable kebab-case id ("truncated-file"); `message` says what it means and what to
/// do.
struct Diagnostic
{
    std::string code;
    Severity severity = Severity::Warning;
    std::uint64_t count = 0;
    std::string file;
    std::optional<std::uint64_t> firstOffset;
    std::string message;
    /// Whether the records that it counts are not in the project: those of an error, unless said
    /// otherwise where it is counted.
    bool losesRecords = severity == Severity::Error;
};

/// Counts bad records instead of failing on them. Memory is bounded by the number of (code, file)
/// pairs.
class Diagnostics
{
public:
    /// Adds one occurrence; the first one of a (code, file) pair keeps its position and message.
    void count(std::string_view code, Severity severity, const SourcePosition &where,
               std::string_view message);
    /// The same of records that are not in the project, though that is no error of the input.
    void countLost(std::string_view code, Severity severity, const SourcePosition &where,
                   std::string_view message);
    /// Adds what was counted elsewhere.
    void add(const Diagnostic &counted);
    void merge(const Diagnostics &other);

    std::vector<Diagnostic>
    list() const; ///< sorted by severity (worst first), then code, then file; but
                  ///< "unreadable-rest" first of its severity: damaged data cause the others
    bool hasSkippedInput() const; ///< something of the input was not read (exit code 3)

private:
    void countOne(std::string_view code, Severity severity, const SourcePosition &where,
                  std::string_view message, bool losesRecords);

    std::map<std::pair<std::string, std::string>, Diagnostic> m_byCodeAndFile;
};

} // namespace core
