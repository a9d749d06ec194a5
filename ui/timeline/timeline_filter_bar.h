#pragma once

#include <QWidget>

class QHBoxLayout;
class QLineEdit;

namespace ui {

class TimelineState;

/// The box above the names of tracks that filters them: Enter adds a chip, a click removes it.
/// Chips also name the ranks that are hidden.
class TimelineFilterBar : public QWidget
{
    Q_OBJECT

public:
    explicit TimelineFilterBar(TimelineState &state, QWidget *parent = nullptr);

signals:
    void left(); ///< with Esc

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void addFilter();
    void showChips();
    template <class Remove>
    void addChip(const QString &text, Remove remove);

    TimelineState &m_state;
    QLineEdit *m_edit;
    QHBoxLayout *m_chips;
};

} // namespace ui
