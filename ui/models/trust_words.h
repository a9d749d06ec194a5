#pragma once

#include "core/measure/trust_level.h"

#include <QString>

namespace ui {

/// "good", "fair", "poor".
QString gradeText(core::TrustLevel level);

} // namespace ui
