#pragma once

#include "ui/views/compare/setting_row.h"

// What a setting may be, and the number that its row begins with.

namespace ui {

SettingRow::Range rateRange(double initial); ///< Mbit/s
SettingRow::Range bucketRange(double initial); ///< MiB
SettingRow::Range factorRange(double initial);

} // namespace ui
