#include "ui/models/preset_menu.h"

#include "core/optimize/presets.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QMenu>

namespace ui {

namespace {

    struct PresetMenuText
    {
        Q_DECLARE_TR_FUNCTIONS(PresetMenu)
    };

    QString presetWords(std::string_view text)
    {
        return QCoreApplication::translate("Presets", std::string(text).c_str());
    }

    /// A style need not draw the title of a section.
    void addHeading(QMenu &menu, const QString &title)
    {
        QAction *const heading = menu.addAction(title);
        heading->setEnabled(false);
        QFont font = menu.font();
        font.setBold(true);
        heading->setFont(font);
    }

    /// Why one of its changes cannot be made; null: all can.
    const std::string *obstacleTo(const core::Preset &preset,
                                  const core::ChangeObstacles &obstacles)
    {
        for (const core::Change &change : preset.changes.changes)
            if (const std::string *const found = core::obstacleOf(obstacles, change.key))
                return found;
        return nullptr;
    }

} // namespace

QMenu *
createPresetMenu(const core::ChangeObstacles &obstacles,
                 const std::function<void(const QString &, const core::Strategy &)> &onChosen,
                 QWidget *parent)
{
    auto *menu = new QMenu(parent);
    menu->setToolTipsVisible(true);
    bool wasDefault = true;
    addHeading(*menu, PresetMenuText::tr("As installed"));
    for (const core::Preset &preset : core::presets()) {
        if (wasDefault && !preset.isDefault)
            addHeading(*menu, PresetMenuText::tr("As published"));
        wasDefault = preset.isDefault;
        const QString title = presetWords(preset.title);
        QString tip = presetWords(preset.source);
        QAction *const action = menu->addAction(title);
        if (const std::string *const obstacle = obstacleTo(preset, obstacles)) {
            action->setEnabled(false);
            tip += u'\n'
                + PresetMenuText::tr("Not on this trace: %1")
                      .arg(QString::fromStdString(*obstacle));
        }
        action->setToolTip(toolTipParagraphs(tip));
        QObject::connect(action, &QAction::triggered, menu,
                         [onChosen, title, changes = preset.changes] { onChosen(title, changes); });
    }
    return menu;
}

} // namespace ui
