#include "ui/views/compare/setting_ranges.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {
namespace {

    QString translated(const char *suffix)
    {
        return QCoreApplication::translate("ui::WhatIfPanel", suffix);
    }

} // namespace

SettingRow::Range rateRange(double initial)
{
    const int decimals = initial < 100 ? 2 : 0;
    return { std::min(10.0, initial), std::max(400'000.0, initial), initial, decimals,
             translated(QT_TRANSLATE_NOOP("ui::WhatIfPanel", " Mbit/s")) };
}

SettingRow::Range bucketRange(double initial)
{
    const int decimals = initial < 1 ? 3 : 1;
    return { std::min(0.1, initial), std::max(1000.0, initial), initial, decimals,
             translated(QT_TRANSLATE_NOOP("ui::WhatIfPanel", " MiB")) };
}

SettingRow::Range factorRange(double initial)
{
    return { 0.1, 10, initial, 2, translated(QT_TRANSLATE_NOOP("ui::WhatIfPanel", " \u00d7")) };
}

} // namespace ui
