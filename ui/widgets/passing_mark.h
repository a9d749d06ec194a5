#pragma once

class QWidget;

namespace ui {

/// Shows a frame around `widget` for a moment, above it and below the pointer, which it lets
/// through. A new mark in the same parent replaces the last.
void markShortly(QWidget &widget);

} // namespace ui
