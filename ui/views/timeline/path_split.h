#pragma once

#include "core/analyze/diagnosis.h"

#include <QString>

#include <utility>
#include <vector>

namespace ui {

/// What the critical path consists of, ready for people.
struct PathSplit
{
    QString note; ///< which iteration's path it is, and why that one's
    std::vector<std::pair<QString, QString>>
        rows; ///< part; time and share. Without parts of no time
};

/// Without rows where the diagnosis has no path.
PathSplit pathSplit(const core::Diagnosis &diagnosis);

} // namespace ui
