#pragma once

#include <QVariant>

namespace ui {

/// Order in which the first click on a column sorts, a model's answer to InitialSortOrderRole:
/// figures, which are right aligned, from the largest, as one looks for that; texts from A.
QVariant firstSortOrder(const QVariant &alignment);

} // namespace ui
