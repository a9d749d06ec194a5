#include "ui/views/compare/what_if_panel.h"

#include "core/optimize/presets.h"
#include "core/optimize/search.h"
#include "ui/models/preset_menu.h"
#include "ui/theme/measures.h"
#include "ui/views/compare/change_words.h"
#include "ui/views/compare/given_facts_box.h"
#include "ui/views/compare/link_paragraph.h"
#include "ui/views/compare/rank_setting_row.h"
#include "ui/views/compare/setting_row.h"
#include "ui/views/compare/setting_words.h"
#include "ui/views/compare/status_note.h"
#include "ui/views/compare/text_row.h"
#include "ui/views/compare/unusable_settings.h"
#include "ui/views/compare/word_row.h"
#include "ui/widgets/format.h"
#include "ui/widgets/passing_mark.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/wheel_guard.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {

namespace {
    /// Around `initial`: a slider's end is never where it begins. Other numbers can be typed.
    SettingRow::Range rangeOf(const core::ChangeTraits &traits, double initial)
    {
        constexpr double Room = 4;
        const ShownUnit unit = shownUnit(traits, initial);
        const core::ChangeSlider &slider = traits.slider;
        const double shown = initial / unit.unit;
        const double least = traits.least / unit.unit, most = traits.most / unit.unit;
        SettingRow::Range range { slider.least, std::max(slider.most, shown),
                                  shown,        unit.decimals,
                                  unit.suffix,  SettingRow::Scale::Linear,
                                  unit.unit,    least,
                                  most };
        if (slider.isLinear)
            return range;
        range.scale = SettingRow::Scale::Logarithmic;
        const bool isRate = traits.effects == (core::effect::Rate | core::effect::Transfers)
            && unit.unit != slider.unit;
        range.least = std::min(slider.least * slider.unit / unit.unit, shown / Room);
        range.most = std::max(slider.most * slider.unit / unit.unit, shown * Room);
        if (isRate) // the slider's own decades are of slower links
            range.least = shown / (Room * Room * 2);
        if (least > 0)
            range.least = std::max(range.least, least);
        if (most > 0)
            range.most = std::min(range.most, most);
        return range;
    }

    QString groupTitle(core::ChangeGroup group)
    {
        switch (group) {
        case core::ChangeGroup::Gradients:
            return WhatIfPanel::tr("Gradients");
        case core::ChangeGroup::Network:
            return WhatIfPanel::tr("Network");
        case core::ChangeGroup::Computation:
            break;
        }
        return WhatIfPanel::tr("Computation");
    }

    QLabel *createParagraph(QWidget *parent)
    {
        QLabel *label = createLabel({}, TextRole::Secondary, parent);
        label->setWordWrap(true);
        return label;
    }

} // namespace

QWidget *WhatIfPanel::Row::main() const
{
    if (box != nullptr)
        return box;
    if (word != nullptr)
        return word;
    return text != nullptr ? static_cast<QWidget *>(text) : number;
}

WhatIfPanel::WhatIfPanel(QWidget *parent)
    : QWidget(parent)
    , m_unusable(new UnusableSettings(this))
    , m_given(new GivenFactsBox(this))
    , m_rows(new QWidget(this))
    , m_link(createParagraph(this))
    , m_status(new StatusNote(this))
{
    // With a point, as figures are written everywhere else: where the system's decimals have a
    // comma, a typed 0.5 would be 5.
    setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
    auto *layout = new QVBoxLayout(m_rows);
    layout->setContentsMargins(space::large, space::large, space::large, space::large);
    layout->setSpacing(space::large);
    layout->addLayout(createHead());
    m_presets = new QPushButton(tr("Published strategies"), this);
    m_presets->setToolTip(toolTipParagraphs(tr("Settings of systems and papers, in one click")));
    layout->addWidget(m_presets, 0, Qt::AlignLeft);
    for (const core::ChangeGroup group : { core::ChangeGroup::Gradients, core::ChangeGroup::Network,
                                           core::ChangeGroup::Computation })
        addGroup(*layout, group);
    layout->addWidget(m_unusable);
    layout->addWidget(m_given);
    layout->addStretch();
    layout->addWidget(m_link);
    placeRows();
    leaveWheelToScrolling(*m_rows);
    setFacts({});
    showStatus({}, false);
}

QHBoxLayout *WhatIfPanel::createHead()
{
    auto *head = new QHBoxLayout;
    head->addWidget(createLabel(tr("What if"), TextRole::Large, this), 1);
    auto *reset = new QPushButton(tr("Reset to measured"), this);
    head->addWidget(reset);
    connect(reset, &QPushButton::clicked, this, [this] {
        setStrategy({});
        emit strategyChanged();
    });
    return head;
}

/// What is said of a prediction stands below the rows, in a place that is always there: else it
/// would move what the user is about to click.
void WhatIfPanel::placeRows()
{
    m_scroll = new QScrollArea(this);
    m_scroll->setWidget(m_rows);
    m_scroll->setAccessibleName(tr("What-if settings"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_scroll, 1);
    layout->addWidget(m_status);
}

void WhatIfPanel::setUsable(bool usable)
{
    m_rows->setEnabled(usable);
}

void WhatIfPanel::revealSettings(const core::Strategy &strategy)
{
    m_revealed = firstSet(strategy);
    if (m_revealed != nullptr && isVisible())
        QMetaObject::invokeMethod(this, &WhatIfPanel::showRevealed, Qt::QueuedConnection);
}

QWidget *WhatIfPanel::firstSet(const core::Strategy &strategy) const
{
    for (const Row &row : m_changes) {
        const std::string key(row.traits.key);
        const bool isWhole = strategy.isOn(key) || strategy.number(key) || strategy.text(key);
        if (strategy.has(key))
            return isWhole || row.ofRanks == nullptr ? row.main() : row.ofRanks;
    }
    return nullptr;
}

/// Where the rows are is known once they are shown.
void WhatIfPanel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_revealed != nullptr)
        QMetaObject::invokeMethod(this, &WhatIfPanel::showRevealed, Qt::QueuedConnection);
}

void WhatIfPanel::showRevealed()
{
    QWidget *const setting = m_revealed;
    m_revealed = nullptr;
    if (setting == nullptr)
        return;
    m_rows->layout()->activate();
    m_scroll->ensureWidgetVisible(setting, 0, space::huge);
    markShortly(*setting);
}

void WhatIfPanel::addGroup(QVBoxLayout &layout, core::ChangeGroup group)
{
    m_headings.push_back({ group, createLabel(groupTitle(group), TextRole::Secondary, this) });
    layout.addWidget(m_headings.back().label);
    for (const core::ChangeTraits &traits : core::changeTraits())
        if (traits.group == group)
            addRow(layout, traits);
}

void WhatIfPanel::addRow(QVBoxLayout &layout, const core::ChangeTraits &traits)
{
    const std::string key(traits.key);
    Row row;
    row.traits = traits;
    if (traits.form == core::ChangeForm::Switch) {
        row.box = new QCheckBox(translated(traits.title), this);
        row.box->setToolTip(toolTipParagraphs(translated(traits.hint)));
        layout.addWidget(row.box);
        connect(row.box, &QCheckBox::toggled, this, [this, key] { changed(key); });
    } else if (traits.form == core::ChangeForm::Word) {
        row.word = new WordRow(traits, this);
        layout.addWidget(row.word);
        connect(row.word, &WordRow::valueChanged, this, [this, key] { changed(key); });
    } else if (traits.form == core::ChangeForm::Text) {
        row.text = new TextRow(traits, this);
        layout.addWidget(row.text);
        connect(row.text, &TextRow::valueChanged, this, [this, key] { changed(key); });
    } else {
        addNumber(layout, row);
    }
    row.toolTip = row.main()->toolTip();
    m_changes.push_back(row);
}

void WhatIfPanel::addNumber(QVBoxLayout &layout, Row &row)
{
    const core::ChangeTraits &traits = row.traits;
    const std::string key(traits.key);
    row.number = new SettingRow(translated(traits.title), translated(traits.hint),
                                rangeOf(traits, traits.slider.initial * traits.slider.unit), this);
    layout.addWidget(row.number);
    connect(row.number, &SettingRow::valueChanged, this, [this, key] { changed(key); });
    if (!traits.isOfRank && !traits.isOfRanks)
        return;
    row.ofRanks
        = new RankSettingRow(translated(traits.titleOfRanks), translated(traits.hintOfRanks),
                             rangeOf(traits, traits.initialOfRanks), this);
    layout.addWidget(row.ofRanks);
    connect(row.ofRanks, &RankSettingRow::valueChanged, this, [this, key] { changed(key); });
}

/// Some changes exclude each other: the later choice replaces the earlier one.
void WhatIfPanel::changed(const std::string &key)
{
    const core::Strategy all = strategy();
    core::Strategy own, wanted = all;
    for (const core::Change &change : all.changes)
        if (change.key == key)
            own.set(change);
    // A change that contradicts itself alone needs another one: it excludes none.
    const bool isWhole = core::contradictionOf(own).empty();
    for (const core::Change &change : all.changes) {
        core::Strategy both = own;
        both.set(change);
        if (isWhole && change.key != key && core::contradictionOf({ change }).empty()
            && !core::contradictionOf(both).empty())
            wanted.removeAll(change.key);
    }
    if (wanted != all)
        setStrategy(wanted);
    emit strategyChanged();
}

core::Strategy WhatIfPanel::strategy() const
{
    core::Strategy strategy;
    for (const Row &row : m_changes) {
        const std::string key(row.traits.key);
        if (row.box != nullptr && row.box->isChecked())
            strategy.set({ key, 1.0 });
        if (row.word != nullptr && row.word->value())
            strategy.set({ key, *row.word->value() });
        if (row.text != nullptr && row.text->value())
            strategy.set({ key, *row.text->value() });
        if (row.number != nullptr && row.number->value())
            strategy.set({ key, *row.number->value() });
        if (row.ofRanks != nullptr)
            for (const auto &[ranks, value] : row.ofRanks->values())
                strategy.set({ key, value, ranks });
    }
    return strategy;
}

void WhatIfPanel::setStrategy(const core::Strategy &strategy)
{
    for (Row &row : m_changes) {
        const std::string key(row.traits.key);
        if (row.box != nullptr) {
            const QSignalBlocker quiet(row.box);
            row.box->setChecked(strategy.isOn(key));
        }
        if (row.word != nullptr)
            row.word->setValue(strategy.text(key));
        if (row.text != nullptr)
            row.text->setValue(strategy.text(key));
        if (row.number != nullptr)
            row.number->setValue(strategy.number(key));
        if (row.ofRanks == nullptr)
            continue;
        std::map<RankSettingRow::Ranks, double> values;
        for (const core::Change *change : strategy.ofRanks(key))
            values[change->ranks] = change->number().value_or(1);
        row.ofRanks->setValues(values);
        showChoices(row);
    }
    showUsableRows();
}

void WhatIfPanel::setFacts(const core::ChangeFacts &facts)
{
    for (Row &row : m_changes) {
        const auto choices = facts.rankChoices.find(std::string(row.traits.key));
        row.choices
            = choices == facts.rankChoices.end() ? std::set<std::vector<int>> {} : choices->second;
        showChoices(row);
        showMeasured(row, facts.measured);
    }
    showObstacles(facts.obstacles);
    delete m_presets->menu();
    m_presets->setMenu(createPresetMenu(
        facts.obstacles,
        [this](const QString &, const core::Strategy &changes) {
            setStrategy(core::Search::with(core::environmentOf(strategy()), changes));
            emit strategyChanged();
        },
        m_presets));
}

/// Switched on as it is, a change changes nothing.
void WhatIfPanel::showMeasured(Row &row, const core::Strategy &measured)
{
    if (row.word != nullptr)
        row.word->setRecorded(measured.text(std::string(row.traits.key)));
    if (row.text != nullptr)
        row.text->setRecorded(measured.text(std::string(row.traits.key)));
    if (row.number == nullptr)
        return;
    const core::ChangeSlider &slider = row.traits.slider;
    const auto text = [&](double value) { return recordedText(row.traits, value); };
    const std::string key(row.traits.key);
    const std::optional<double> whole = measured.number(key);
    row.number->setRecorded(whole ? text(*whole) : QString());
    if (!row.number->value())
        row.number->setRange(rangeOf(row.traits, whole.value_or(slider.initial * slider.unit)));
    if (row.ofRanks == nullptr)
        return;
    std::map<RankSettingRow::Ranks, QString> ofRanks;
    for (const core::Change *change : measured.ofRanks(key))
        ofRanks[change->ranks] = text(change->number().value_or(0));
    row.ofRanks->setRecorded(ofRanks);
    if (whole && row.ofRanks->values().empty())
        row.ofRanks->setRange(rangeOf(row.traits, *whole));
}

/// What is set shows, whoever set it. Of groups one choice is none.
void WhatIfPanel::showChoices(Row &row)
{
    if (row.ofRanks == nullptr)
        return;
    std::set<std::vector<int>> shown = row.choices;
    for (const auto &[ranks, factor] : row.ofRanks->values())
        shown.insert(ranks);
    if (shown != row.shownChoices) { // else the chosen ones stay
        row.shownChoices = shown;
        row.ofRanks->setChoices({ shown.begin(), shown.end() });
    }
}

void WhatIfPanel::showObstacles(const core::ChangeObstacles &obstacles)
{
    std::vector<UnusableSetting> unusable;
    for (Row &row : m_changes) {
        const std::string *const reason = core::obstacleOf(obstacles, row.traits.key);
        row.obstacle
            = reason != nullptr ? unbrokenUnits(QString::fromStdString(*reason)) : QString();
        if (reason != nullptr)
            unusable.push_back({ translated(row.traits.title), row.obstacle });
    }
    m_unusable->setSettings(unusable);
    showUsableRows();
}

void WhatIfPanel::showUsableRows()
{
    const core::Strategy set = strategy();
    std::set<core::ChangeGroup> seen;
    for (const Row &row : m_changes) {
        const bool isUsable = row.obstacle.isEmpty();
        const bool isSeen = isUsable || set.has(row.traits.key);
        row.main()->setVisible(isSeen);
        row.main()->setEnabled(isUsable);
        row.main()->setToolTip(isUsable ? row.toolTip : toolTipParagraphs(row.obstacle));
        if (isSeen)
            seen.insert(row.traits.group);
        if (row.ofRanks == nullptr)
            continue;
        const bool hasChoice
            = row.traits.isOfRank || row.shownChoices.size() > 1 || !row.ofRanks->values().empty();
        row.ofRanks->setVisible(isSeen && hasChoice);
        row.ofRanks->setEnabled(isUsable);
    }
    for (const Heading &heading : m_headings)
        heading.label->setVisible(seen.contains(heading.group));
}

void WhatIfPanel::showLinks(const std::vector<core::LinkModel> &links)
{
    if (links.empty())
        return m_link->clear(); // what cannot be set for that reason says so
    m_link->setText(linkParagraph(links));
}

void WhatIfPanel::showStatus(const QString &text, bool isError)
{
    m_status->showText(text.isEmpty() ? tr("Change a setting: what it does is predicted at once.")
                                      : text,
                       isError);
}

} // namespace ui
