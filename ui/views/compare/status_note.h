#pragma once

#include <QScrollArea>

class QLabel;

namespace ui {

/// What is said of a prediction, below its settings: a few lines that are always there, so that no
/// setting moves; a longer text scrolls.
class StatusNote : public QScrollArea
{
    Q_OBJECT

public:
    explicit StatusNote(QWidget *parent);

    void showText(const QString &text, bool isError);

private:
    QLabel *m_label;
};

} // namespace ui
