#pragma once

#include "ui/widgets/text_label.h"

#include <string>
#include <vector>

class QLabel;
class QWidget;

namespace ui {

/// A sentence of the diagnosis, wrapped, that can be selected and copied.
QLabel *createSentence(const std::string &text, TextRole role, QWidget *parent);

/// Each in a line of its own.
QWidget *createSentenceList(const std::vector<std::string> &texts, QWidget *parent);

} // namespace ui
