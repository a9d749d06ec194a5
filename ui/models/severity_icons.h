#pragma once

#include "core/base/diagnostics.h"

#include <QIcon>

#include <array>

namespace ui {

/// The marks of the severities in the colours of a theme; a model has no palette of its own.
struct SeverityIcons
{
    std::array<QIcon, 3> icons;

    const QIcon &of(core::Severity severity) const
    {
        return icons[static_cast<std::size_t>(severity)];
    }
};

} // namespace ui
