#include "ui/views/timeline/timeline_keeper.h"

#include "core/base/error.h"
#include "core/project/kept_values.h"
#include "ui/session/project_history.h"
#include "ui/timeline/timeline_state.h"
#include "ui/timeline_sources/project_timeline_source.h"
#include "ui/views/timeline/kept_arrangement.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace ui {

namespace {

    constexpr std::string_view KeptKey = "timeline";

    KeptTimeline readKept(const std::filesystem::path &project)
    {
        try {
            const auto text = core::keptValue(project, KeptKey);
            return text ? keptTimelineOf(QString::fromStdString(*text)) : KeptTimeline();
        } catch (const core::Error &) {
            return {}; // the views that read the project say what is wrong with it
        }
    }

    /// Without curves, which are behind the source's own tracks.
    std::set<std::uint32_t> idsOf(const std::set<std::size_t> &tracks,
                                  const ProjectTimelineSource &source)
    {
        std::set<std::uint32_t> ids;
        for (const std::size_t track : tracks)
            if (track < source.tracks().size())
                ids.insert(source.trackId(track).value);
        return ids;
    }

    std::set<std::size_t> tracksOfIds(const std::set<std::uint32_t> &ids,
                                      const ProjectTimelineSource &source)
    {
        std::set<std::size_t> tracks;
        for (std::size_t track = 0; track < source.tracks().size(); ++track)
            if (ids.contains(source.trackId(track).value))
                tracks.insert(track);
        return tracks;
    }

    /// Pixels of the curves above the ranks, which come later.
    int curvesHeight(const TimelineLayout &layout)
    {
        int height = 0;
        for (const TimelineRow &row : layout.rows)
            if (row.isCounter)
                height += row.height;
        return height;
    }

    /// Names the change of an arrangement as a menu does.
    QString titleOf(const TrackArrangement &before, const TrackArrangement &after)
    {
        if (before.filters != after.filters)
            return TimelineKeeper::tr("Filter of ranks and rows");
        if (before.hidden != after.hidden)
            return TimelineKeeper::tr("Hidden ranks");
        if (before.pinned != after.pinned || before.pinnedTracks != after.pinnedTracks)
            return TimelineKeeper::tr("Pins");
        return TimelineKeeper::tr("Order of ranks");
    }

    /// Nothing but the order, or what gathers, differs.
    bool isReordered(TrackArrangement before, const TrackArrangement &after)
    {
        before.order = after.order;
        before.gatheredBy = after.gatheredBy;
        return before == after;
    }

    /// Rounding to pixels moves the edges when the window's width changes.
    bool isSamePlace(TimelinePlace a, const TimelinePlace &b)
    {
        const std::int64_t tolerance = b.visible.durationNs() / 500 + 2;
        const bool isSameTime = std::abs(a.visible.startNs - b.visible.startNs) <= tolerance
            && std::abs(a.visible.endNs - b.visible.endNs) <= tolerance;
        a.visible = b.visible;
        return isSameTime && a == b;
    }

} // namespace

/// Puts all that can be undone in place of what was before.
class TimelineKeeper::Command : public ProjectCommand
{
public:
    Command(TimelineKeeper &keeper, const QString &text, TimelineEdits after)
        : ProjectCommand(keeper.m_history, { &keeper, QStringLiteral("timeline") }, text)
        , m_keeper(keeper)
        , m_before(keeper.m_edits)
        , m_after(std::move(after))
    {
    }

protected:
    void apply(bool isDone) override
    {
        if (std::exchange(m_isNew, false))
            return m_keeper.apply(m_after);
        m_keeper.m_isRefused = false; // what cannot be written is told again
        m_keeper.apply(isDone ? m_after : m_before);
    }

private:
    TimelineKeeper &m_keeper;
    TimelineEdits m_before, m_after;
    bool m_isNew = true;
};

/// Pins, filters, hidden ranks and their order: the timeline shows a new one already.
class TimelineKeeper::ArrangeCommand : public ProjectCommand
{
public:
    ArrangeCommand(TimelineKeeper &keeper, TrackArrangement before, TrackArrangement after)
        : ProjectCommand(keeper.m_history, { &keeper, QStringLiteral("timeline") },
                         titleOf(before, after))
        , m_keeper(keeper)
        , m_before(std::move(before))
        , m_after(std::move(after))
    {
    }

    int id() const override { return Id; }
    /// Orders that are tried one after the other are one step.
    bool mergeWith(const QUndoCommand *next) override
    {
        const auto &later = static_cast<const ArrangeCommand &>(*next); // by their id
        if (!isReordered(m_before, m_after) || !isReordered(later.m_before, later.m_after))
            return false;
        m_after = later.m_after;
        setObsolete(m_after == m_before);
        return true;
    }

protected:
    void apply(bool isDone) override
    {
        if (!std::exchange(m_isNew, false))
            m_keeper.arrange(isDone ? m_after : m_before);
    }

private:
    static constexpr int Id = 2; ///< the what-if's settings have 1

    TimelineKeeper &m_keeper;
    TrackArrangement m_before, m_after;
    bool m_isNew = true;
};

TimelineKeeper::TimelineKeeper(TimelineState &state, ProjectHistory &history, QObject *parent)
    : QObject(parent)
    , m_state(state)
    , m_history(history)
{
    m_saveTimer.setSingleShot(true);
    m_saveTimer.setInterval(SaveAfterMs);
    connect(&m_saveTimer, &QTimer::timeout, this, &TimelineKeeper::save);
    connect(&state, &TimelineState::marksChanged, this, &TimelineKeeper::onMarksChanged);
    connect(&state, &TimelineState::arrangementChanged, this,
            &TimelineKeeper::onArrangementChanged);
    connect(&state, &TimelineState::axisChanged, this, &TimelineKeeper::onPlaceChanged);
    connect(&state, &TimelineState::layoutChanged, this, &TimelineKeeper::onPlaceChanged);
}

TimelineKeeper::~TimelineKeeper()
{
    m_state.disconnect(this);
    blockSignals(true); // who would tell the user may be gone
    saveNow();
}

/// Before there is no later: nothing that was changed is lost.
void TimelineKeeper::saveNow()
{
    const bool isWriting = m_saveJob->isRunning();
    m_saveTimer.stop();
    m_saveJob = std::make_unique<Job<bool>>(); // waits for the write before, or for its end
    if (m_source == nullptr || !(m_isChanged || isWriting || m_hasFailed))
        return;
    m_isChanged = m_hasFailed = false;
    try {
        core::keepValue(m_source->reader().path(), KeptKey, keptText());
    } catch (const core::Error &error) {
        if (!std::exchange(m_isRefused, true))
            emit cannotKeep(QString::fromUtf8(error.what()));
    }
}

std::string TimelineKeeper::keptText()
{
    m_place = m_seen;
    return keptTimelineText({ m_edits, m_place }).toStdString();
}

void TimelineKeeper::open(std::shared_ptr<const ProjectTimelineSource> source, bool isSame)
{
    isSame = isSame && m_source != nullptr && source != nullptr;
    const bool isCopy = isSame && m_source->reader().path() != source->reader().path();
    saveNow();
    m_source = std::move(source);
    m_shown = m_state.givenSource();
    m_isShowing = true;
    if (isSame) { // with other clocks, or more of it: marks, undo and folds stay
        m_state.setKeptMarks(m_edits.marks);
        showFlags();
        showPlace(m_seen);
        m_arranged = m_state.arrangement();
        m_isShowing = false;
        if (isCopy) {
            m_isRefused = false;
            saveSoon();
        }
        return;
    }
    m_isRefused = false;
    m_isChanged = false;
    const KeptTimeline kept = m_source ? readKept(m_source->reader().path()) : KeptTimeline();
    m_edits = kept.edits;
    if (m_source != nullptr) {
        m_state.setKeptMarks(m_edits.marks);
        showFlags();
        if (kept.place)
            showPlace(*kept.place);
        m_place = m_seen = place();
        m_arranged = m_state.arrangement();
    }
    m_isShowing = false;
    emit editsChanged();
}

TimelinePlace TimelineKeeper::place() const
{
    const FoldState folds = m_state.givenFoldsOpened();
    return { m_state.visible(),
             std::max(0, m_state.scrollY() - curvesHeight(m_state.layout())),
             idsOf(folds.foldedGroups, *m_source),
             idsOf(folds.foldedSubgroups, *m_source),
             idsOf(folds.unfoldedTracks, *m_source),
             m_state.arrangement(),
             m_state.isRankOverview() };
}

void TimelineKeeper::showPlace(const TimelinePlace &place)
{
    m_state.setRankOverview(false);
    m_state.setArrangement(withNamesOf(place.arrangement, m_state.givenSource()->tracks()));
    m_state.setGivenFolds({ tracksOfIds(place.foldedGroups, *m_source),
                            tracksOfIds(place.foldedSubgroups, *m_source),
                            tracksOfIds(place.unfoldedTracks, *m_source) });
    m_state.setRankOverview(place.isOverview);
    m_state.setVisible(place.visible);
    m_state.setScrollY(place.scrollY > 0 ? place.scrollY + curvesHeight(m_state.layout()) : 0);
}

void TimelineKeeper::setBookmark(int digit)
{
    if (m_source == nullptr)
        return;
    TimelineEdits after = m_edits;
    after.bookmarks[digit] = { m_state.visible(), m_state.scrollY() };
    change(tr("Bookmark %1").arg(digit), std::move(after));
}

bool TimelineKeeper::goToBookmark(int digit)
{
    const auto found = m_edits.bookmarks.find(digit);
    if (m_source == nullptr || found == m_edits.bookmarks.end())
        return false;
    m_state.pushHistory();
    m_state.setVisible(found->second.range);
    m_state.setScrollY(found->second.scrollY);
    return true;
}

void TimelineKeeper::setNote(std::int64_t ns, const QString &text)
{
    if (m_source == nullptr)
        return;
    TimelineEdits after = m_edits;
    std::erase_if(after.notes, [ns](const TimelineNote &note) { return note.ns == ns; });
    if (const QString kept = text.simplified(); !kept.isEmpty()) {
        after.notes.push_back({ ns, kept });
        std::ranges::stable_sort(after.notes, {}, &TimelineNote::ns);
    }
    change(tr("Note"), std::move(after));
}

const TimelineNote *TimelineKeeper::noteNear(std::int64_t ns, std::int64_t nearNs) const
{
    const TimelineNote *nearest = nullptr;
    for (const TimelineNote &note : m_edits.notes)
        if (std::abs(note.ns - ns) <= nearNs
            && (nearest == nullptr || std::abs(note.ns - ns) < std::abs(nearest->ns - ns)))
            nearest = &note;
    return nearest;
}

bool TimelineKeeper::removeMarksAt(std::int64_t ns)
{
    TimelineEdits after = m_edits;
    std::erase_if(after.marks, [ns](const core::TimeRange &mark) { return mark.contains(ns); });
    if (after == m_edits)
        return false;
    change(tr("Remove marks"), std::move(after));
    return true;
}

void TimelineKeeper::change(const QString &text, TimelineEdits after)
{
    if (after != m_edits)
        m_history.push(new Command(*this, text, std::move(after)));
}

void TimelineKeeper::apply(const TimelineEdits &edits)
{
    m_edits = edits;
    m_isShowing = true;
    if (m_state.keptMarks() != m_edits.marks)
        m_state.setKeptMarks(m_edits.marks);
    showFlags();
    m_isShowing = false;
    saveSoon();
    emit editsChanged();
}

void TimelineKeeper::showFlags()
{
    std::vector<TimelineFlag> flags;
    flags.reserve(m_edits.notes.size());
    for (const TimelineNote &note : m_edits.notes)
        flags.push_back({ note.ns, note.text });
    m_state.setFlags(std::move(flags));
}

/// The timeline itself keeps a mark.
void TimelineKeeper::onMarksChanged()
{
    if (m_isShowing || m_source == nullptr || m_state.givenSource() != m_shown
        || m_state.keptMarks() == m_edits.marks)
        return;
    TimelineEdits after = m_edits;
    after.marks = m_state.keptMarks();
    change(tr("Mark"), std::move(after));
}

void TimelineKeeper::onArrangementChanged()
{
    if (m_isShowing || m_source == nullptr || m_state.givenSource() != m_shown
        || m_state.arrangement() == m_arranged)
        return;
    TrackArrangement before = std::exchange(m_arranged, m_state.arrangement());
    m_history.push(new ArrangeCommand(*this, std::move(before), m_arranged));
}

void TimelineKeeper::arrange(const TrackArrangement &arrangement)
{
    const auto source = m_state.givenSource();
    // Names change where the project is opened anew.
    m_arranged = source ? withNamesOf(arrangement, source->tracks()) : arrangement;
    m_state.setArrangement(m_arranged);
}

void TimelineKeeper::onPlaceChanged()
{
    if (m_isShowing || m_source == nullptr || m_state.givenSource() != m_shown)
        return;
    m_seen = place();
    if (!isSamePlace(m_seen, m_place))
        saveSoon();
}

void TimelineKeeper::saveSoon()
{
    m_isChanged = true;
    m_saveTimer.start();
}

void TimelineKeeper::save()
{
    m_saveTimer.stop();
    if (m_source == nullptr || !m_isChanged)
        return;
    if (m_saveJob->isRunning()) // the one that runs is whole before the next begins
        return saveSoon();
    m_isChanged = m_hasFailed = false;
    m_saveJob->start(
        [path = m_source->reader().path(), text = keptText()](const core::JobControl &) {
            core::keepValue(path, KeptKey, text);
            return true;
        },
        [](bool) {},
        [this](const QString &message) {
            m_hasFailed = true; // tried again with the next change, and at the end
            if (!std::exchange(m_isRefused, true))
                emit cannotKeep(message);
        });
}

} // namespace ui
