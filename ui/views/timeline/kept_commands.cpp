#include "ui/views/timeline/kept_commands.h"

#include "ui/theme/measures.h"
#include "ui/timeline/timeline_ruler.h"
#include "ui/timeline/timeline_steps.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/timeline/timeline_keeper.h"
#include "ui/widgets/format.h"
#include "ui/widgets/pick_list.h"

#include <QAction>
#include <QLineEdit>
#include <QShortcut>

#include <algorithm>
#include <utility>
#include <vector>

namespace ui {

namespace {

    constexpr int NoteWidth = 240; ///< px
    constexpr int NearPx = 6; ///< of a note's flag

} // namespace

KeptCommands::KeptCommands(TimelineKeeper &keeper, TimelineWidget &timeline, QWidget &view)
    : QObject(&view)
    , m_keeper(keeper)
    , m_timeline(timeline)
    , m_view(view)
    , m_edit(new QLineEdit(&timeline))
{
    m_edit->hide();
    m_edit->setMaxLength(200);
    m_edit->setPlaceholderText(tr("Note; Enter keeps it"));
    m_edit->setAccessibleName(tr("Text of the note"));
    connect(m_edit, &QLineEdit::returnPressed, this, [this] { finishNote(true); });
    connect(m_edit, &QLineEdit::editingFinished, this, [this] { finishNote(true); });
    auto *cancel = new QShortcut(Qt::Key_Escape, m_edit);
    cancel->setContext(Qt::WidgetShortcut);
    connect(cancel, &QShortcut::activated, this, [this] { finishNote(false); });

    addAction(tr("Remove the kept marks here"), QKeySequence(Qt::Key_Delete),
              &KeptCommands::removeMarks);
    addAction(tr("Write a note here"), QKeySequence(Qt::Key_N), &KeptCommands::editNote);
    addAction(tr("Go to a note\u2026"), QKeySequence(Qt::SHIFT | Qt::Key_N),
              &KeptCommands::pickNote);
    addSeparator();
    QAction *set = addAction(tr("Bookmark this view"), {}, &KeptCommands::bookmarkNext);
    set->setText(set->text() + QLatin1Char('\t') + tr("Ctrl+0 to Ctrl+9"));
    QAction *go = addAction(tr("Go to a bookmark"), {}, &KeptCommands::goToNextBookmark);
    go->setText(go->text() + QLatin1Char('\t') + tr("0 to 9"));
    const auto update = [this, go] { go->setEnabled(!m_keeper.edits().bookmarks.empty()); };
    connect(&m_keeper, &TimelineKeeper::editsChanged, go, update);
    update();
    addBookmarkKeys();
}

void KeptCommands::addSeparator()
{
    auto *line = new QAction(&m_view);
    line->setSeparator(true);
    m_view.addAction(line);
}

QAction *KeptCommands::addAction(const QString &text, const QKeySequence &keys,
                                 void (KeptCommands::*slot)())
{
    auto *action = new QAction(text, &m_view);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, slot);
    m_view.addAction(action);
    return action;
}

void KeptCommands::addBookmarkKeys()
{
    for (int digit = 0; digit <= 9; ++digit) {
        const int key = Qt::Key_0 + digit;
        auto *set = new QShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(key)), &m_view);
        auto *go = new QShortcut(QKeySequence(key), &m_view);
        for (QShortcut *shortcut : { set, go })
            shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(set, &QShortcut::activated, this, [this, digit] { m_keeper.setBookmark(digit); });
        connect(go, &QShortcut::activated, this, [this, digit] {
            if (m_keeper.goToBookmark(digit))
                m_lastBookmark = digit;
        });
    }
}

std::int64_t KeptCommands::placeNs() const
{
    const TimelineState &state = m_timeline.state();
    if (const core::TimeRange range = spanOfSelection(state); !range.isEmpty())
        return range.startNs;
    return state.crosshairNs().value_or(state.visible().startNs + state.visible().durationNs() / 2);
}

/// On the ruler, where its flag will stand; that of a note beside it is edited.
void KeptCommands::editNote()
{
    TimelineState &state = m_timeline.state();
    if (state.source() == nullptr)
        return;
    m_noteNs = placeNs();
    const TimelineNote *note = m_keeper.noteNear(m_noteNs, NearPx * state.axis().resolutionNs());
    if (note != nullptr)
        m_noteNs = note->ns;
    const auto *ruler = m_timeline.findChild<TimelineRuler *>();
    const int x = ruler->x()
        + std::clamp(static_cast<int>(state.axis().xOf(m_noteNs)), 0,
                     std::max(0, ruler->width() - NoteWidth));
    const int height = m_edit->sizeHint().height();
    m_edit->setGeometry(x, ruler->geometry().bottom() + 1 - height, NoteWidth, height);
    m_edit->setText(note != nullptr ? note->text : QString());
    m_edit->selectAll();
    m_edit->show();
    m_edit->raise();
    m_edit->setFocus();
}

void KeptCommands::finishNote(bool isKept)
{
    if (m_edit->isHidden())
        return;
    const QString text = m_edit->text();
    m_edit->hide(); // before: it ends the editing once more
    if (isKept)
        m_keeper.setNote(m_noteNs, text);
    m_timeline.setFocus();
}

void KeptCommands::pickNote()
{
    const std::vector<TimelineNote> notes = m_keeper.edits().notes;
    std::vector<PickEntry> entries;
    entries.reserve(notes.size());
    for (const TimelineNote &note : notes)
        entries.push_back({ note.text, formatDuration(note.ns - m_timeline.state().originNs()) });
    auto *list = new PickList(std::move(entries),
                              notes.empty() ? tr("There are no notes yet: N writes one")
                                            : tr("Type a part of a note"),
                              &m_view);
    connect(list, &PickList::picked, this, [this, notes](std::size_t index) {
        TimelineState &state = m_timeline.state();
        const std::int64_t half = state.visible().durationNs() / 2;
        state.pushHistory();
        state.setVisible({ notes[index].ns - half, notes[index].ns + half });
        m_timeline.setFocus();
    });
    list->popUpOver(m_view);
}

void KeptCommands::removeMarks()
{
    m_keeper.removeMarksAt(placeNs());
}

/// Under the first free digit; of nine, the last one moves.
void KeptCommands::bookmarkNext()
{
    int digit = 1;
    while (digit < 9 && m_keeper.edits().bookmarks.contains(digit))
        ++digit;
    m_keeper.setBookmark(digit);
}

void KeptCommands::goToNextBookmark()
{
    const auto &all = m_keeper.edits().bookmarks;
    if (all.empty())
        return;
    const auto next = all.upper_bound(m_lastBookmark);
    m_lastBookmark = next == all.end() ? all.begin()->first : next->first;
    m_keeper.goToBookmark(m_lastBookmark);
}

} // namespace ui
