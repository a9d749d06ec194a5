#pragma once

#include "core/model/ids.h"

#include <QString>

namespace core {
class ProjectReader;
}

namespace ui {

/// The slice that `--at` names: by its number, or the first that has the text in its name. Throws
/// core::Error where there is none.
core::SliceId namedEvent(const core::ProjectReader &reader, const QString &event);

} // namespace ui
