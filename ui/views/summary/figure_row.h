#pragma once

class QWidget;

namespace core {
struct SummaryData;
}

namespace ui {

struct Theme;

/// The mean iteration, or the recording, and the parts that it is made of, side by side.
QWidget *createFigureRow(const core::SummaryData &summary, const Theme &theme);

} // namespace ui
