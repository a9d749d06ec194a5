#pragma once

#include "ui/jobs/job.h"
#include "ui/views/timeline/kept_timeline.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <string>

namespace ui {

class ProjectHistory;
class ProjectTimelineSource;
class TimelineSource;
class TimelineState;

/// Keeps marks, notes, bookmarks, folds, how ranks are arranged and the visible time of a timeline
/// in its project, with undo of all but folds and the visible time. A worker writes shortly after a
/// change; what a kill may lose is younger than SaveAfterMs. GUI thread.
class TimelineKeeper : public QObject
{
    Q_OBJECT

public:
    static constexpr int SaveAfterMs = 400;

    /// `state` and `history` must outlive it.
    TimelineKeeper(TimelineState &state, ProjectHistory &history, QObject *parent = nullptr);
    ~TimelineKeeper() override;

    /// Shows what the project of a new source keeps; null: there is none. Writes what is not
    /// written yet of the project before. `isSame`: the project before, or a copy of it, which then
    /// gets all that is shown.
    void open(std::shared_ptr<const ProjectTimelineSource> source, bool isSame = false);
    const TimelineEdits &edits() const { return m_edits; }
    bool isSaving() const { return m_isChanged || m_saveJob->isRunning(); }

    /// `digit`: 0 to 9.
    void setBookmark(int digit);
    /// False: there is no such bookmark.
    bool goToBookmark(int digit);
    /// Sets the text of the note at a time; an empty one removes it.
    void setNote(std::int64_t ns, const QString &text);
    /// The note whose flag stands within `nearNs` of a time; null: none.
    const TimelineNote *noteNear(std::int64_t ns, std::int64_t nearNs) const;
    /// Removes the kept marks over a time; false: there are none.
    bool removeMarksAt(std::int64_t ns);

signals:
    void editsChanged();
    /// Once for a project, and for each undo and redo: why it cannot be written.
    void cannotKeep(const QString &message);

private:
    class Command;
    class ArrangeCommand;

    void change(const QString &text, TimelineEdits after);
    void apply(const TimelineEdits &edits);
    void showFlags();
    void onMarksChanged();
    void onArrangementChanged();
    void arrange(const TrackArrangement &arrangement);
    void onPlaceChanged();
    TimelinePlace place() const;
    void showPlace(const TimelinePlace &place);
    void saveSoon();
    void save();
    void saveNow();
    std::string keptText(); ///< of what is seen now

    TimelineState &m_state;
    ProjectHistory &m_history;
    std::shared_ptr<const ProjectTimelineSource> m_source;
    const TimelineSource *m_shown = nullptr; ///< what the timeline shows of it; only compared
    TimelineEdits m_edits;
    TrackArrangement m_arranged; ///< as the history knows it
    TimelinePlace m_seen; ///< now
    TimelinePlace m_place; ///< as it was read, or written last
    QTimer m_saveTimer;
    bool m_isChanged = false; ///< since the last write began
    bool m_hasFailed = false; ///< the last write
    bool m_isShowing = false; ///< what changes now is no edit of the user's
    bool m_isRefused = false; ///< the project cannot be written, and this was told
    std::unique_ptr<Job<bool>> m_saveJob = std::make_unique<Job<bool>>(); // last: dies first
};

} // namespace ui
