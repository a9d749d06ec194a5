#pragma once

#include <QString>

#include <cstdint>
#include <optional>

namespace core {
struct ProjectInfo;
}

namespace ui {

class Session;

// The state that decides whether numbers can be believed, in words.

/// Number of iterations that every rank has.
int iterationCount(const core::ProjectInfo &info);
/// How far the solved clocks may be off at most; empty with one rank or where alignment is unknown.
std::optional<std::int64_t> alignmentErrorNs(const core::ProjectInfo &info);

/// "2 of 8 ranks" where ranks are missing, else "8 ranks".
QString ranksText(const core::ProjectInfo &info);
QString iterationsText(const core::ProjectInfo &info);
/// "aligned +-0.3 ms", "clocks agree +-0.3 ms" where times are as recorded, "one clock", "clocks
/// set by hand", "not aligned"; empty with one rank.
QString alignmentText(const core::ProjectInfo &info);
/// "trust: good (1.8 % self-replay)"; empty until the diagnosis is there.
QString trustText(const Session &session);
/// The reasons behind the status, one line a fact.
QString trustDetails(const Session &session);

} // namespace ui
