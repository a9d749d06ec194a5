#include "ui/views/compare/unusable_settings.h"

#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QLabel>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

    /// Titles of the settings that have one reason in common, in the order of the reasons.
    std::vector<std::pair<QString, QStringList>>
    byReason(const std::vector<UnusableSetting> &settings)
    {
        std::vector<std::pair<QString, QStringList>> groups;
        for (const UnusableSetting &setting : settings) {
            const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto &group) {
                return group.first == setting.reason;
            });
            if (found == groups.end())
                groups.emplace_back(setting.reason, QStringList { setting.title });
            else
                found->second << setting.title;
        }
        return groups;
    }

    QWidget *createReasons(const std::vector<UnusableSetting> &settings, QWidget *parent)
    {
        auto *reasons = new QWidget(parent);
        auto *column = new QVBoxLayout(reasons);
        column->setContentsMargins(0, space::small, 0, 0);
        column->setSpacing(space::tiny);
        for (const auto &[reason, titles] : byReason(settings)) {
            auto *title = createLabel(titles.join(QStringLiteral(", ")), TextRole::Normal, reasons);
            auto *text = createLabel(breakable(reason), TextRole::Secondary, reasons);
            for (QLabel *label : { title, text }) {
                label->setWordWrap(true);
                column->addWidget(label);
            }
            column->addSpacing(space::small);
        }
        return reasons;
    }

} // namespace

UnusableSettings::UnusableSettings(QWidget *parent)
    : QWidget(parent)
    , m_head(new QToolButton(this))
{
    m_head->setCheckable(true);
    m_head->setAutoRaise(true);
    m_head->setFocusPolicy(Qt::StrongFocus);
    m_head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_head->setToolTip(
        toolTipParagraphs(tr("Settings that cannot be predicted from this trace, and why")));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_head, 0, Qt::AlignLeft);
    connect(m_head, &QToolButton::toggled, this, &UnusableSettings::setUnfolded);
    setUnfolded(false);
    hide();
}

void UnusableSettings::setSettings(const std::vector<UnusableSetting> &settings)
{
    if (settings == m_settings)
        return;
    m_settings = settings;
    delete m_reasons;
    m_reasons = createReasons(settings, this);
    layout()->addWidget(m_reasons);
    m_head->setText(tr("Not on this trace (%1)").arg(settings.size()));
    setVisible(!settings.empty());
    setUnfolded(m_head->isChecked());
}

void UnusableSettings::setUnfolded(bool isUnfolded)
{
    m_head->setChecked(isUnfolded);
    m_head->setArrowType(isUnfolded ? Qt::DownArrow : Qt::RightArrow);
    if (m_reasons != nullptr)
        m_reasons->setVisible(isUnfolded);
}

} // namespace ui
