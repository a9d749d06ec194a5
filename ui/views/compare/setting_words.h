#pragma once

#include "core/change/change.h"
#include "core/change/change_traits.h"

#include <QString>

namespace ui {

/// The unit in which a setting is shown.
struct ShownUnit
{
    double unit = 1; ///< of what is shown, in the setting's own
    QString suffix; ///< with its leading space
    int decimals = 0;
};

/// The traits' own unit; GB/s instead of Mbit/s from 1 GB/s on.
ShownUnit shownUnit(const core::ChangeTraits &traits, double value);

/// "25 MiB"; of a bandwidth in GB/s also as the setting counts it: "196.8 GB/s (1574646 Mbit/s)".
QString recordedText(const core::ChangeTraits &traits, double value);

/// "Bucket size 5 MiB, No stragglers": settings as the panel calls them. Empty without any.
QString settingWords(const core::Strategy &strategy);

} // namespace ui
