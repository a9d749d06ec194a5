#pragma once

class QWidget;

namespace ui {

struct SummaryData;
struct Theme;

/// The mean iteration, or the recording, and the parts that it is made of, side by side.
QWidget *createFigureRow(const SummaryData &summary, const Theme &theme);

} // namespace ui
