#pragma once

#include <QString>
#include <QStringList>

class QFontMetrics;

namespace ui {

/// What all names begin with, up to a word's begin: "host-3.internal_" of host-3.internal_58187 and
/// host-3.internal_58190. Empty of one name.
QString sharedStart(const QStringList &names);

/// The name in `width` pixels. Where all of it does not fit, what tells it from others is kept: its
/// shared start goes first, then its end.
QString elidedName(const QString &name, const QString &sharedStart, const QFontMetrics &metrics,
                   int width);

} // namespace ui
