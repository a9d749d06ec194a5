#pragma once

#include <QScrollArea>

class QLabel;

namespace ui {

/// What is said of a prediction, below its settings: as high as its text, at most two fifths of
/// the room, in which it scrolls.
class StatusNote : public QScrollArea
{
    Q_OBJECT

public:
    explicit StatusNote(QWidget *parent);

    /// Hidden without a text.
    void showText(const QString &text, bool isError);
    void fitInto(const QSize &room); ///< of the settings and the note together

private:
    void fit();

    QLabel *m_label;
    QSize m_room;
};

} // namespace ui
