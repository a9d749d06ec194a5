#pragma once

#include <QString>

namespace core {
struct ComparedIterations;
struct ProjectInfo;
struct Prediction;
}

namespace ui {

class Session;

// The state that decides whether numbers can be believed, in words.

/// "2 of 8 ranks" where ranks are missing, else "8 ranks".
QString ranksText(const core::ProjectInfo &info);
/// "6 iterations"; "3 of 6 iterations" where figures are not of all, see Session::compared().
QString iterationsText(const core::ProjectInfo &info, const core::ComparedIterations &compared);
/// "aligned +-0.3 ms"; where times are as recorded "clocks agree +-0.3 ms" or, if that is not small
/// beside an iteration, "clocks as recorded +-114 ms (8.8 % of an iteration)"; "one clock", "clocks
/// set by hand", "not aligned"; empty with one rank.
QString alignmentText(const core::ProjectInfo &info);
/// "trust: good (1.8 % self-replay)", of a what-if "trust in the what-if: fair (...)".
QString trustText(const core::Prediction &result);
/// Of what the session shows; empty until the diagnosis is there.
QString trustText(const Session &session);
/// Why that is the grade, one line a reason; empty until the diagnosis is there.
QString trustReasons(const Session &session);
/// What the status strip tells more of.
enum class StatusSubject { Ranks, Clocks, Trust };
/// All that the status of a subject rests on, one line a fact.
QString statusDetails(const Session &session, StatusSubject subject);

} // namespace ui
