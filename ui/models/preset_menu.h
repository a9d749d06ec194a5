#pragma once

#include "core/change/change.h"
#include "core/change/change_list.h"

#include <QString>

#include <functional>

class QMenu;
class QWidget;

namespace ui {

/// A menu of the strategies of systems and papers. What the job does not support is greyed, with
/// its reason. `onChosen` gets the title and the changes.
QMenu *
createPresetMenu(const core::ChangeObstacles &obstacles,
                 const std::function<void(const QString &, const core::Strategy &)> &onChosen,
                 QWidget *parent);

} // namespace ui
