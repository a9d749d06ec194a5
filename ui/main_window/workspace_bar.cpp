#include "ui/main_window/workspace_bar.h"

#include "ui/theme/measures.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QTabBar>
#include <QWheelEvent>

namespace ui {

namespace {

    /// Tabs that the wheel does not turn: it changed the page by accident.
    class StillTabBar : public QTabBar
    {
    public:
        using QTabBar::QTabBar;

    protected:
        void wheelEvent(QWheelEvent *event) override { event->ignore(); }
    };

    constexpr int LabelStretch = 1000; ///< of the room beside the tabs all that they need

    void showElided(ElidedLabel &label, const QString &text)
    {
        label.setMaximumWidth(label.fontMetrics().horizontalAdvance(text) + 1);
        label.setFullText(text);
    }

} // namespace

WorkspaceBar::WorkspaceBar(QWidget *parent)
    : QFrame(parent)
    , m_tabs(new StillTabBar(this))
    , m_name(new ElidedLabel(TextRole::Normal, this))
    , m_facts(new ElidedLabel(TextRole::Secondary, this))
{
    setObjectName(QStringLiteral("workspaceBar"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->setUsesScrollButtons(false);
    m_facts->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_tabs->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred); // the labels give way

    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(space::tiny, 0, space::large, 0);
    row->setSpacing(space::small);
    row->addWidget(m_tabs, 0, Qt::AlignBottom);
    row->addSpacing(space::large);
    row->addStretch(1);
    row->addWidget(m_name, LabelStretch);
    row->addWidget(m_facts, LabelStretch);

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
    showElided(*m_name, name);
    showElided(*m_facts, facts);
}

} // namespace ui
