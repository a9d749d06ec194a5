#pragma once

#include <QString>

#include <cstdint>

namespace ui {

// Numbers as people read them: 4 significant digits, adaptive unit, a thin space before the unit.

/// core::durationText() with a true minus, micro sign and thin spaces: "823 ns", "118.4 ms",
/// "2 min 5 s".
QString formatDuration(std::int64_t ns, int digits = 4);
/// As formatDuration(), with a sign: "+12.3 ms", "-3.1 ms" (with a true minus).
QString formatDelta(std::int64_t ns);
/// core::offsetText() with a true minus and thin spaces: "+3600.123456 s".
QString formatOffset(std::int64_t ns, std::int64_t uncertaintyNs);
/// "+1.5 ppm": of what is added to times, as formatOffset(); "0.0 ppm" without a sign.
QString formatDrift(double ppm);
/// "40 ppm": of what is not known more exactly.
QString formatDriftSize(double ppm);
/// 0.0123 as "1.2 %": one decimal below 10 %, none from there on; "<0.1 %" for what is not zero.
QString formatPercent(double fraction);
QString formatSignedPercent(double fraction);
/// core::replayErrorText() with a thin space: "0.3 %", "<0.1 %".
QString formatReplayError(double errorFraction);
/// "512 B", "25.00 MiB".
QString formatBytes(std::uint64_t bytes);
/// "53.91 MB/s", "12.50 GB/s"; the argument is in Mbit/s. The rule of units is that of
/// core::rateText(): Mbit/s for nominal rates of networks alone.
QString formatRate(double mbitPerSec);
/// 1234567 as "1 234 567" with thin spaces.
QString formatCount(std::uint64_t count);
/// "34 marked", "30 marked, 4 were already": marks that came, and that were there.
QString markedText(std::uint64_t added, std::uint64_t known);
/// "1 rank", "12 ranks": one of the two forms, in which %1 is the count as formatCount() writes it.
/// (Qt's own plurals, %n, need a translation even for English.)
QString countText(std::uint64_t count, const QString &one, const QString &many);
/// A text of one or more lines as a tooltip that wraps them and shows them as they are. A tooltip
/// by itself takes what begins like a tag for HTML, and loads the files that it names: every one
/// that may hold a name of a trace goes through this.
QString toolTipParagraphs(const QString &text);
/// A sentence with its numbers kept on one line with the units after them ("43 %"), a micro sign
/// for "us", a plus-minus sign for "+-" and a true minus before such numbers: for texts of core,
/// which are plain ASCII.
QString unbrokenUnits(QString sentence);
/// A text whose long words (paths, calls of an API) may wrap after a punctuation mark: it gets zero
/// width spaces there, which unbroken() takes out again, for the clipboard.
QString breakable(const QString &text);
QString unbroken(QString text);
/// A number with `digits` significant digits, trailing zeros kept.
QString formatSignificant(double value, int digits = 4);

} // namespace ui
