#include "ui/views/compare/what_if_history.h"

#include "core/change/change_list.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/views/compare/change_words.h"
#include "ui/views/compare/what_if_panel.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ui {

namespace {

    /// Names of the changes that only one of the two has, or has with another value.
    std::vector<std::string> differentNames(const core::Strategy &a, const core::Strategy &b)
    {
        std::vector<std::string> names;
        const auto collect = [&names](const core::Strategy &one, const core::Strategy &other) {
            for (const core::Change &change : one.changes)
                if (std::ranges::find(other.changes, change) == other.changes.end()
                    && std::ranges::find(names, change.name()) == names.end())
                    names.push_back(change.name());
        };
        collect(a, b);
        collect(b, a);
        return names;
    }

    const core::Change *changeNamed(const core::Strategy &strategy, const std::string &name)
    {
        const auto found = std::ranges::find(strategy.changes, name, &core::Change::name);
        return found == strategy.changes.end() ? nullptr : &*found;
    }

    QString titleOf(const core::Strategy &before, const core::Strategy &after)
    {
        const std::vector<std::string> names = differentNames(before, after);
        if (names.size() != 1)
            return after.isEmpty() ? WhatIfHistory::tr("Reset to measured")
                                   : WhatIfHistory::tr("What-if settings");
        const core::Change *change = changeNamed(after, names.front());
        if (change == nullptr)
            change = changeNamed(before, names.front());
        for (const core::ChangeTraits &traits : core::changeTraits())
            if (traits.key == change->key)
                return translated(change->ranks.empty() ? traits.title : traits.titleOfRanks);
        return WhatIfHistory::tr("What-if settings");
    }

} // namespace

class WhatIfHistory::Command : public ProjectCommand
{
public:
    Command(WhatIfHistory &history, core::Strategy before, core::Strategy after)
        : ProjectCommand(history.m_session.history(), { &history, QStringLiteral("compare") },
                         titleOf(before, after))
        , m_history(history)
        , m_before(std::move(before))
        , m_after(std::move(after))
    {
        const std::vector<std::string> names = differentNames(m_before, m_after);
        if (names.size() == 1)
            m_name = names.front();
    }

    int id() const override { return Id; }
    /// One number that is moved on.
    bool mergeWith(const QUndoCommand *next) override
    {
        const auto &later = static_cast<const Command &>(*next); // by their id
        if (m_name.empty() || later.m_name != m_name || later.m_before != m_after
            || changeNamed(m_after, m_name) == nullptr
            || changeNamed(later.m_after, m_name) == nullptr)
            return false;
        m_after = later.m_after;
        setObsolete(m_after == m_before);
        return true;
    }

protected:
    void apply(bool isDone) override
    {
        if (!std::exchange(m_isNew, false)) // new: the panel shows it already
            m_history.show(isDone ? m_after : m_before);
    }

private:
    static constexpr int Id = 1;

    WhatIfHistory &m_history;
    core::Strategy m_before, m_after;
    std::string m_name; ///< of the only change; empty: there are several
    bool m_isNew = true;
};

WhatIfHistory::WhatIfHistory(Session &session, WhatIfPanel &panel, QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_panel(panel)
{
    connect(&panel, &WhatIfPanel::strategyChanged, this, &WhatIfHistory::note);
}

void WhatIfHistory::note()
{
    core::Strategy after = m_panel.strategy();
    if (after == m_known)
        return;
    core::Strategy before = std::exchange(m_known, after);
    m_session.history().push(new Command(*this, std::move(before), std::move(after)));
}

void WhatIfHistory::restart()
{
    m_known = m_panel.strategy();
}

void WhatIfHistory::show(const core::Strategy &strategy)
{
    m_panel.setStrategy(strategy);
    m_known = m_panel.strategy();
    emit restored();
}

} // namespace ui
