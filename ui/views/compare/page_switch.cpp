#include "ui/views/compare/page_switch.h"

#include "ui/theme/measures.h"
#include "ui/widgets/format.h"

#include <QAction>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {
namespace {

    struct PageSwitch
    {
        Q_DECLARE_TR_FUNCTIONS(PageSwitch)
    };

} // namespace

QWidget *createPageSwitch(QAction &asGraphs, QWidget *parent)
{
    auto *buttons = new QWidget(parent);
    auto *line = new QHBoxLayout(buttons);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::tiny);
    for (const bool isGraph : { false, true }) {
        auto *button = new QToolButton(buttons);
        button->setText(isGraph ? PageSwitch::tr("Graph") : PageSwitch::tr("Timeline"));
        button->setCheckable(true);
        button->setAutoExclusive(true);
        button->setChecked(isGraph == asGraphs.isChecked());
        button->setToolTip(
            toolTipParagraphs(isGraph ? PageSwitch::tr("What waits for what, as a graph (Shift+G)")
                                      : PageSwitch::tr("All operations by time (Shift+G)")));
        QAction *const action = &asGraphs;
        QObject::connect(button, &QToolButton::clicked, action,
                         [action, isGraph] { action->setChecked(isGraph); });
        QObject::connect(action, &QAction::toggled, button,
                         [button, isGraph](bool isOn) { button->setChecked(isGraph == isOn); });
        line->addWidget(button);
    }
    return buttons;
}

QWidget *stacked(QWidget *above, QWidget *below, QWidget *parent)
{
    auto *widget = new QWidget(parent);
    auto *layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(above);
    layout->addWidget(below, 1);
    return widget;
}

} // namespace ui
