#pragma once

#include "ui/timeline/track_arrangement.h"

#include <QWidget>

#include <cstddef>
#include <vector>

class QHBoxLayout;
class QLineEdit;
class QToolButton;

namespace ui {

class TimelineState;

/// How many chips fit side by side in `room` pixels, `gap` apart, with one of `moreWidth` that
/// stands for the others where some do not.
std::size_t fittingChips(const std::vector<int> &widths, int room, int gap, int moreWidth);

/// A filter or a hidden rank, and the arrangement without it.
struct TrackChip
{
    QString text;
    TrackArrangement without;
};

/// The box above the names of tracks that filters them: Enter adds a chip, a click removes it.
/// Chips also name the ranks that are hidden; the last one lists those that have no room.
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
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void addFilter();
    void showChips();
    std::vector<TrackChip> chips() const;
    QToolButton *newChip(const QString &text);
    void addMore(const std::vector<TrackChip> &chips, std::size_t first);
    void replace(const TrackArrangement &arrangement);

    TimelineState &m_state;
    QLineEdit *m_edit;
    QHBoxLayout *m_chips;
};

} // namespace ui
