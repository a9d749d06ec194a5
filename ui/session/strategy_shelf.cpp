#include "ui/session/strategy_shelf.h"

#include "core/base/error.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace ui {

/// Puts one version of a strategy in place of another.
class StrategyShelf::Command : public ProjectCommand
{
public:
    Command(StrategyShelf &shelf, const QString &text, Edit before, Edit after)
        : ProjectCommand(shelf.m_session.history(), { &shelf, shelf.viewOfChanges(), true }, text)
        , m_shelf(shelf)
        , m_before(std::move(before))
        , m_after(std::move(after))
    {
    }

protected:
    void apply(bool isDone) override { m_shelf.apply(isDone ? m_after : m_before); }

private:
    StrategyShelf &m_shelf;
    Edit m_before, m_after;
};

struct StrategyShelf::Queue
{
    /// A write into a project; a step of the history, or not.
    struct Entry
    {
        std::function<void()> write; ///< throws core::Error
        bool isStep = true;
    };

    std::mutex writing; ///< held by the thread that writes
    std::mutex mutex; ///< of `entries`
    std::deque<Entry> entries;
    std::size_t written = 0; ///< steps, since it was last taken

    void push(Entry entry)
    {
        const std::lock_guard lock(mutex);
        entries.push_back(std::move(entry));
    }
    std::optional<Entry> next()
    {
        const std::lock_guard lock(mutex);
        return entries.empty() ? std::nullopt : std::optional(entries.front());
    }
    void countNext()
    {
        const std::lock_guard lock(mutex);
        written += entries.front().isStep ? 1 : 0;
        entries.pop_front();
    }
    bool isEmpty()
    {
        const std::lock_guard lock(mutex);
        return entries.empty();
    }
    void clear()
    {
        const std::lock_guard lock(mutex);
        entries.clear();
    }
    std::size_t takeWritten()
    {
        const std::lock_guard lock(mutex);
        return std::exchange(written, 0);
    }

    /// In their order, whichever thread writes them. Throws core::Error; what cannot be written
    /// stays the next one.
    void writeAll()
    {
        const std::lock_guard lock(writing);
        while (const std::optional<Entry> entry = next()) {
            entry->write();
            countNext();
        }
    }
};

StrategyShelf::StrategyShelf(Session &session, QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_queue(std::make_shared<Queue>())
{
    connect(&session, &Session::projectChanged, this, &StrategyShelf::onProjectChanged);
    onProjectChanged();
}

StrategyShelf::~StrategyShelf()
{
    try {
        m_queue->writeAll();
    } catch (const std::exception &error) {
        qWarning("%s", error.what()); // the window is gone
    }
}

bool StrategyShelf::isBusy() const
{
    return m_load.isRunning() || m_write.isRunning() || !m_queue->isEmpty();
}

void StrategyShelf::onProjectChanged()
{
    const QString before = std::exchange(m_project, m_session.projectPath());
    if (std::exchange(m_opening, m_session.opening()) != m_session.opening()) {
        finish();
        load();
    } else if (before != m_project) {
        goOnInCopy();
    }
}

/// Edits of the project that is left: they are in it before another one has any.
void StrategyShelf::finish()
{
    const std::shared_ptr<Queue> left = std::exchange(m_queue, std::make_shared<Queue>());
    m_write.cancel(); // it never begins, or goes on to its end
    try {
        left->writeAll();
    } catch (const std::exception &error) { // told when the other project is shown
        QMetaObject::invokeMethod(
            &m_session,
            [session = &m_session, message = QString::fromUtf8(error.what())] {
                emit session->cannotKeep(message);
            },
            Qt::QueuedConnection);
    }
}

/// Strategies that are shown may be younger than those that were copied.
void StrategyShelf::goOnInCopy()
{
    if (!m_isLoaded)
        return load();
    m_queue->push({ [path = m_session.reader().path(), all = m_strategies] {
                       core::replaceStrategies(path, all);
                   },
                    false });
    writeAll();
}

void StrategyShelf::load()
{
    m_load.cancel();
    m_strategies.clear();
    m_error.clear();
    m_isLoaded = false;
    emit changed();
    if (m_project.isEmpty())
        return;
    m_load.start([path = m_session.reader().path()](
                     const core::JobControl &) { return core::savedStrategies(path); },
                 [this](std::vector<core::SavedStrategy> found) {
                     m_strategies = std::move(found);
                     m_isLoaded = true;
                     emit changed();
                 },
                 [this](const QString &message) {
                     m_error = message;
                     emit changed();
                 });
}

const core::SavedStrategy *StrategyShelf::byId(std::int64_t id) const
{
    const auto found = std::find_if(m_strategies.begin(), m_strategies.end(),
                                    [id](const core::SavedStrategy &one) { return one.id == id; });
    return found == m_strategies.end() ? nullptr : &*found;
}

/// Microseconds since 1970: later ones are larger, and another window takes other ones.
std::int64_t StrategyShelf::unusedId() const
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    std::int64_t id = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
    for (const core::SavedStrategy &one : m_strategies)
        id = std::max(id, one.id + 1);
    return id;
}

/// Both pages show them: the one on which the user makes the change.
QString StrategyShelf::viewOfChanges() const
{
    const QString strategies = QStringLiteral("strategies");
    return m_session.shownView() == strategies ? strategies : QStringLiteral("compare");
}

void StrategyShelf::add(const QString &name, const std::string &file)
{
    if (!m_isLoaded)
        return;
    const core::SavedStrategy saved { unusedId(), name.toStdString(), file };
    m_session.history().push(
        new Command(*this, tr("Keep %1").arg(name), { saved, false }, { saved, true }));
}

void StrategyShelf::rename(std::int64_t id, const QString &name)
{
    const core::SavedStrategy *const found = byId(id);
    const QString wanted = name.trimmed();
    if (found == nullptr || wanted.isEmpty() || found->name == wanted.toStdString())
        return emit changed(); // a list that shows another name shows the old one again
    core::SavedStrategy renamed = *found;
    renamed.name = wanted.toStdString();
    m_session.history().push(
        new Command(*this, tr("Rename to %1").arg(wanted), { *found, true }, { renamed, true }));
}

void StrategyShelf::remove(std::int64_t id)
{
    const core::SavedStrategy *const found = byId(id);
    if (found == nullptr)
        return;
    const core::SavedStrategy removed = *found;
    m_session.history().push(new Command(*this,
                                         tr("Delete %1").arg(QString::fromStdString(removed.name)),
                                         { removed, true }, { removed, false }));
}

/// Shown at once: the project follows.
void StrategyShelf::apply(const Edit &edit)
{
    const auto place = std::lower_bound(
        m_strategies.begin(), m_strategies.end(), edit.strategy.id,
        [](const core::SavedStrategy &one, std::int64_t id) { return one.id < id; });
    const bool isKnown = place != m_strategies.end() && place->id == edit.strategy.id;
    if (edit.isThere && isKnown)
        *place = edit.strategy;
    else if (edit.isThere)
        m_strategies.insert(place, edit.strategy);
    else if (isKnown)
        m_strategies.erase(place);
    emit changed();
    push(edit);
    writeAll();
}

/// Into the project that is open now: the history may have gone on in a copy.
void StrategyShelf::push(const Edit &edit)
{
    m_queue->push({ [path = m_session.reader().path(), edit] {
        if (edit.isThere)
            core::saveStrategy(path, edit.strategy);
        else
            core::removeStrategy(path, edit.strategy.id);
    } });
}

void StrategyShelf::writeAll()
{
    if (m_write.isRunning())
        return; // the next one takes what has come meanwhile
    m_write.start(
        [queue = m_queue](const core::JobControl &) {
            queue->writeAll();
            return true;
        },
        [this](bool) {
            m_session.history().written(*this, m_queue->takeWritten());
            if (!m_queue->isEmpty())
                writeAll();
        },
        [this](const QString &message) {
            // What the project has is shown. Edits behind the failed one built on it.
            m_queue->clear();
            m_session.history().written(*this, m_queue->takeWritten());
            m_session.history().failed(*this);
            load();
            emit failed(message);
        });
}

} // namespace ui
