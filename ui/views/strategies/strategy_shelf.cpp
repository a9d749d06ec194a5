#include "ui/views/strategies/strategy_shelf.h"

#include "core/base/error.h"
#include "ui/session/session.h"

#include <QUndoCommand>

#include <algorithm>
#include <utility>

namespace ui {

/// Puts one version of a strategy in place of another; an empty one is none.
class StrategyShelf::Command : public QUndoCommand
{
public:
    Command(StrategyShelf &shelf, const QString &text, Edit before, Edit after)
        : m_shelf(shelf)
        , m_before(std::move(before))
        , m_after(std::move(after))
    {
        setText(text);
    }
    void undo() override { m_shelf.apply(m_before); }
    void redo() override { m_shelf.apply(m_after); }

private:
    StrategyShelf &m_shelf;
    Edit m_before, m_after;
};

StrategyShelf::StrategyShelf(Session &session, QObject *parent)
    : QObject(parent)
    , m_session(session)
{
    connect(&session, &Session::projectChanged, this, &StrategyShelf::onProjectChanged);
    onProjectChanged();
}

void StrategyShelf::onProjectChanged()
{
    if (m_session.projectPath() == m_project)
        return;
    m_project = m_session.projectPath();
    m_undo.clear();
    m_waiting.clear();
    m_strategies.clear();
    if (m_session.isOpen()) {
        try {
            m_strategies = core::savedStrategies(m_session.reader().path());
        } catch (const core::Error &error) {
            emit failed(QString::fromUtf8(error.what()));
        }
    }
    emit changed();
}

const core::SavedStrategy *StrategyShelf::byId(std::int64_t id) const
{
    const auto found = std::find_if(m_strategies.begin(), m_strategies.end(),
                                    [id](const core::SavedStrategy &one) { return one.id == id; });
    return found == m_strategies.end() ? nullptr : &*found;
}

std::int64_t StrategyShelf::unusedId() const
{
    std::int64_t largest = 0;
    for (const core::SavedStrategy &one : m_strategies)
        largest = std::max(largest, one.id);
    return largest + 1;
}

void StrategyShelf::add(const QString &name, const std::string &file)
{
    const core::SavedStrategy saved { unusedId(), name.toStdString(), file };
    m_undo.push(
        new Command(*this, tr("saving of %1").arg(name), { saved, false }, { saved, true }));
}

void StrategyShelf::rename(std::int64_t id, const QString &name)
{
    const core::SavedStrategy *const found = byId(id);
    if (found == nullptr || name.trimmed().isEmpty() || found->name == name.toStdString())
        return emit changed(); // a list that shows another name shows the old one again
    core::SavedStrategy renamed = *found;
    renamed.name = name.trimmed().toStdString();
    m_undo.push(
        new Command(*this, tr("renaming to %1").arg(name), { *found, true }, { renamed, true }));
}

void StrategyShelf::remove(std::int64_t id)
{
    const core::SavedStrategy *const found = byId(id);
    if (found == nullptr)
        return;
    const core::SavedStrategy removed = *found;
    m_undo.push(new Command(*this, tr("deletion of %1").arg(QString::fromStdString(removed.name)),
                            { removed, true }, { removed, false }));
}

/// What is shown does not wait for the project.
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
    m_waiting.push_back(edit);
    writeNext();
}

void StrategyShelf::writeNext()
{
    if (m_job.isRunning() || m_waiting.empty() || !m_session.isOpen())
        return;
    const Edit edit = m_waiting.front();
    m_waiting.pop_front();
    m_job.start(
        [path = m_session.reader().path(), edit](const core::JobControl &) {
            if (edit.isThere)
                core::saveStrategy(path, edit.strategy);
            else
                core::removeStrategy(path, edit.strategy.id);
            return true;
        },
        [this](bool) { writeNext(); },
        [this](const QString &message) {
            // The project is as it was before: what it has is shown.
            m_waiting.clear();
            m_undo.clear();
            m_project.clear();
            onProjectChanged();
            emit failed(message);
        });
}

} // namespace ui
