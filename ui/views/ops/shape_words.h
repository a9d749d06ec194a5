#pragma once

#include <QStringList>

namespace ui {

/// Texts of input shapes with "…" in place of the dimensions that all begin or end with. Texts of
/// at most `whole` characters, equal ones and a single one stay as they are.
QStringList differingShapes(const QStringList &shapes, qsizetype whole);

} // namespace ui
