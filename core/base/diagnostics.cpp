#include "core/base/diagnostics.h"

#include <algorithm>

namespace core {

std::string_view severityName(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return "info";
    case Severity::Warning:
        return "warning";
    case Severity::Error:
        return "error";
    }
    return "";
}

void Diagnostics::count(std::string_view code, Severity severity, const SourcePosition &where,
                        std::string_view message)
{
    countOne(code, severity, where, message, severity == Severity::Error);
}

void Diagnostics::countLost(std::string_view code, Severity severity, const SourcePosition &where,
                            std::string_view message)
{
    countOne(code, severity, where, message, true);
}

void Diagnostics::countOne(std::string_view code, Severity severity, const SourcePosition &where,
                           std::string_view message, bool losesRecords)
{
    const auto key = std::make_pair(std::string(code), where.file);
    auto [it, isNew] = m_byCodeAndFile.try_emplace(key);
    Diagnostic &entry = it->second;
    if (isNew)
        entry = { key.first,   severity, 0, where.file, where.offset, std::string(message),
                  losesRecords };
    ++entry.count;
}

void Diagnostics::add(const Diagnostic &counted)
{
    auto [it, isNew] = m_byCodeAndFile.try_emplace({ counted.code, counted.file }, counted);
    if (!isNew)
        it->second.count += counted.count;
}

void Diagnostics::merge(const Diagnostics &other)
{
    for (const auto &[key, theirs] : other.m_byCodeAndFile)
        add(theirs);
}

std::vector<Diagnostic> Diagnostics::list() const
{
    std::vector<Diagnostic> all;
    for (const auto &[key, entry] : m_byCodeAndFile)
        all.push_back(entry);
    const auto isCause = [](const Diagnostic &one) { return one.code == "unreadable-rest"; };
    std::stable_sort(all.begin(), all.end(), [isCause](const Diagnostic &a, const Diagnostic &b) {
        return a.severity != b.severity ? a.severity > b.severity : isCause(a) && !isCause(b);
    });
    return all;
}

bool Diagnostics::hasSkippedInput() const
{
    return std::any_of(m_byCodeAndFile.begin(), m_byCodeAndFile.end(),
                       [](const auto &entry) { return entry.second.severity == Severity::Error; });
}

} // namespace core
