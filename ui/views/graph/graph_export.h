#pragma once

#include <QString>

class QWidget;

namespace ui {

class GraphCanvas;

/// Asks for a file and writes the whole drawing there: PNG, SVG, DOT or GraphML by its suffix.
void exportGraph(GraphCanvas &canvas, const QString &title, QWidget *parent);

/// The same into `file`. Throws core::Error where it cannot be written, or the suffix is none.
void writeGraph(GraphCanvas &canvas, const QString &title, const QString &file);

} // namespace ui
