#pragma once

#include "core/project/write/unfinished_import.h"

#include <QString>
#include <QStringList>

namespace ui {

/// What the window says about a project whose import did not come to its end, and what it offers.
struct UnfinishedNotice
{
    QString text;
    QStringList inputs; ///< to import the rest from, as absolute paths; empty: nothing to offer
    bool hasSomething = false; ///< that can be kept without the rest
};

/// Inputs are offered only if all of them are still there; relative ones lead from the project's
/// folder. Otherwise the text says how to go on.
UnfinishedNotice noticeOf(const core::UnfinishedImport &unfinished, const QString &projectPath);

} // namespace ui
