#pragma once

#include <QObject>

#include <cstdint>

class QAction;
class QKeySequence;
class QLineEdit;
class QWidget;

namespace ui {

class TimelineKeeper;
class TimelineWidget;

/// Commands of what a timeline keeps in the project: notes, bookmarks, removal of marks. Their
/// actions belong to the view around it, so that its menu has them.
class KeptCommands : public QObject
{
    Q_OBJECT

public:
    /// The references must outlive it.
    KeptCommands(TimelineKeeper &keeper, TimelineWidget &timeline, QWidget &view);

private:
    void addSeparator();
    QAction *addAction(const QString &text, const QKeySequence &keys, void (KeptCommands::*slot)());
    void addBookmarkKeys();
    void editNote();
    void finishNote(bool isKept);
    void pickNote();
    void removeMarks();
    void bookmarkNext();
    void goToNextBookmark();
    /// Start of the selection, else the crosshair, else the middle of what is seen. Aligned, ns.
    std::int64_t placeNs() const;

    TimelineKeeper &m_keeper;
    TimelineWidget &m_timeline;
    QWidget &m_view;
    QLineEdit *m_edit;
    std::int64_t m_noteNs = 0; ///< of the note that is edited
    int m_lastBookmark = 0; ///< that was gone to
};

} // namespace ui
