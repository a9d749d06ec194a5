#include "ui/main_window/workspace_bar.h"

#include "ui/theme/measures.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QTabBar>

namespace ui {

WorkspaceBar::WorkspaceBar(QWidget *parent)
    : QFrame(parent)
    , m_tabs(new QTabBar(this))
    , m_name(createLabel({}, TextRole::Normal, this))
    , m_facts(createLabel({}, TextRole::Secondary, this))
{
    setObjectName(QStringLiteral("workspaceBar"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->setUsesScrollButtons(false);
    m_facts->setMinimumWidth(0);

    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(space::tiny, 0, space::large, 0);
    row->setSpacing(space::small);
    row->addWidget(m_tabs, 0, Qt::AlignBottom);
    row->addStretch(1);
    row->addWidget(m_name);
    row->addWidget(m_facts);

    connect(m_tabs, &QTabBar::currentChanged, this,
            [this](int) { emit currentChanged(current()); });
}

void WorkspaceBar::addWorkspace(const QString &id, const QString &title)
{
    const QSignalBlocker blocker(m_tabs);
    const int index = m_tabs->addTab(title);
    m_tabs->setTabData(index, id);
}

void WorkspaceBar::setCurrent(const QString &id)
{
    for (int i = 0; i < m_tabs->count(); ++i) {
        if (m_tabs->tabData(i).toString() == id)
            m_tabs->setCurrentIndex(i);
    }
}

QString WorkspaceBar::current() const
{
    return m_tabs->tabData(m_tabs->currentIndex()).toString();
}

void WorkspaceBar::setCaption(const QString &name, const QString &facts)
{
    m_name->setText(name);
    m_facts->setText(facts);
}

} // namespace ui
