#include "ui/views/compare/rank_setting_row.h"

#include "core/base/ranks_text.h"
#include "ui/theme/measures.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

RankSettingRow::RankSettingRow(const QString &title, const QString &hint,
                               const SettingRow::Range &range, QWidget *parent)
    : QWidget(parent)
    , m_rank(new QComboBox(this))
    , m_row(new SettingRow(title, hint, range, this))
{
    constexpr int Shown = 12; // characters: groups of many ranks do not widen the panel
    m_rank->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_rank->setMinimumContentsLength(Shown);
    m_rank->setAccessibleName(tr("Rank of: %1").arg(title));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addWidget(m_rank, 0, Qt::AlignLeft);
    layout->addWidget(m_row);
    connect(m_rank, &QComboBox::currentIndexChanged, this, &RankSettingRow::showChosen);
    connect(m_row, &SettingRow::valueChanged, this, [this] {
        keepChosen();
        emit valueChanged();
    });
}

void RankSettingRow::setChoices(const QList<Ranks> &choices)
{
    const QSignalBlocker quiet(m_rank);
    m_rank->clear();
    m_choices = choices;
    for (const Ranks &ranks : choices)
        m_rank->addItem(
            ranks.size() == 1
                ? tr("Rank %1 alone").arg(ranks.front())
                : tr("Ranks %1").arg(QString::fromStdString(core::rankNumbersText(ranks))));
    const auto set = std::find_if(choices.begin(), choices.end(),
                                  [this](const Ranks &ranks) { return m_values.contains(ranks); });
    if (set != choices.end())
        m_rank->setCurrentIndex(static_cast<int>(set - choices.begin()));
    showChosen();
}

void RankSettingRow::setRange(const SettingRow::Range &range)
{
    m_row->setRange(range);
}

void RankSettingRow::setValues(const std::map<Ranks, double> &values)
{
    const bool isShown = values == m_values;
    m_values = values;
    const QSignalBlocker quiet(m_rank);
    for (const auto &[ranks, value] : values) {
        const qsizetype index = m_choices.indexOf(ranks);
        if (!isShown && index >= 0) {
            m_rank->setCurrentIndex(static_cast<int>(index));
            break;
        }
    }
    showChosen();
}

void RankSettingRow::setRecorded(const std::map<Ranks, QString> &recorded)
{
    m_recorded = recorded;
    showChosen();
}

std::map<int, double> RankSettingRow::valuesByRank() const
{
    std::map<int, double> ofRank;
    for (const auto &[ranks, value] : m_values)
        ofRank.emplace(ranks.front(), value);
    return ofRank;
}

void RankSettingRow::setValues(const std::map<int, double> &values)
{
    std::map<Ranks, double> ofRanks;
    for (const auto &[rank, value] : values)
        ofRanks.emplace(Ranks { rank }, value);
    setValues(ofRanks);
}

void RankSettingRow::showChosen()
{
    const Ranks ranks = m_choices.value(m_rank->currentIndex());
    const auto chosen = m_values.find(ranks);
    const auto recorded = m_recorded.find(ranks);
    m_row->setRecorded(recorded == m_recorded.end() ? QString() : recorded->second);
    m_row->setEnabled(m_rank->currentIndex() >= 0);
    m_row->setValue(chosen == m_values.end() ? std::nullopt : std::optional(chosen->second));
}

void RankSettingRow::keepChosen()
{
    const Ranks ranks = m_choices.value(m_rank->currentIndex());
    if (const auto value = m_row->value())
        m_values[ranks] = *value;
    else
        m_values.erase(ranks);
}

} // namespace ui
