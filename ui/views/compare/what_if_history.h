#pragma once

#include "core/change/change.h"

#include <QObject>

namespace ui {

class Session;
class WhatIfPanel;

/// Keeps changes of the what-if settings in the history of the project, whoever makes them.
/// Consecutive changes of one setting are one.
class WhatIfHistory : public QObject
{
    Q_OBJECT

public:
    /// Both must outlive it.
    WhatIfHistory(Session &session, WhatIfPanel &panel, QObject *parent);

    /// Lists what the panel shows now as a change, where it is one.
    void note();
    /// Takes what the panel shows now as where changes begin.
    void restart();

signals:
    void restored(); ///< the panel shows settings from before

private:
    class Command;

    void show(const core::Strategy &strategy);

    Session &m_session;
    WhatIfPanel &m_panel;
    core::Strategy m_known; ///< that the panel showed last
};

} // namespace ui
