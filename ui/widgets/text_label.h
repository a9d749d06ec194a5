#pragma once

#include <QLabel>

class QPushButton;

namespace ui {

/// How a label's text stands on a page; the style sheet knows the sizes.
enum class TextRole { Normal, Secondary, Small, Large, Title };

/// Makes it a plain-text label that looks so.
void setTextRole(QLabel &label, TextRole role);
/// A plain-text label (never interprets markup that a trace may contain).
QLabel *createLabel(const QString &text, TextRole role, QWidget *parent);
/// A button that looks like a link. Shows the text as it is: an "&", as C++ names have, makes no
/// mnemonic.
QPushButton *createLink(const QString &text, QWidget *parent);
/// The one button of a page that the eye should find first.
QPushButton *createPrimaryButton(const QString &text, QWidget *parent);

} // namespace ui
