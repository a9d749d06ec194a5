#include "ui/views/compare/what_if_panel.h"

#include "core/change/gradients/bucket_layout.h"
#include "ui/theme/measures.h"
#include "ui/views/compare/collective_row.h"
#include "ui/views/compare/link_paragraph.h"
#include "ui/views/compare/rank_setting_row.h"
#include "ui/views/compare/schedule_row.h"
#include "ui/views/compare/setting_ranges.h"
#include "ui/views/compare/setting_row.h"
#include "ui/views/compare/status_note.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/wheel_guard.h"

#include <QCheckBox>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QSet>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
using core::ScenarioSettings;
using core::SettingObstacles;

namespace {
    constexpr double BytesPerMib = 1024.0 * 1024;

    QLabel *createParagraph(QWidget *parent)
    {
        QLabel *label = createLabel({}, TextRole::Secondary, parent);
        label->setWordWrap(true);
        return label;
    }

} // namespace

WhatIfPanel::WhatIfPanel(QWidget *parent)
    : QWidget(parent)
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
    layout->addWidget(createLabel(tr("What if"), TextRole::Large, this));
    auto *reset = new QPushButton(tr("Reset to measured"), this);
    layout->addWidget(reset, 0, Qt::AlignLeft);
    addBuckets(*layout);
    addNetwork(*layout);
    addCompute(*layout);
    layout->addStretch();
    layout->addWidget(m_link);
    placeRows();
    leaveWheelToScrolling(*m_rows);
    showObstacles({});
    showStatus({}, false);
    connect(reset, &QPushButton::clicked, this, [this] {
        setSettings({});
        emit settingsChanged();
    });
}

/// What is said of a prediction comes and goes below the rows: above them it would move what the
/// user is about to click.
void WhatIfPanel::placeRows()
{
    auto *scroll = new QScrollArea(this);
    scroll->setWidget(m_rows);
    scroll->setAccessibleName(tr("What-if settings"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(scroll, 1);
    layout->addWidget(m_status);
}

void WhatIfPanel::resizeEvent(QResizeEvent *event)
{
    m_status->fitInto(size());
    QWidget::resizeEvent(event);
}

void WhatIfPanel::setUsable(bool usable)
{
    m_rows->setEnabled(usable);
}

void WhatIfPanel::addBuckets(QVBoxLayout &layout)
{
    layout.addWidget(createLabel(tr("Gradients"), TextRole::Secondary, this));
    auto *size
        = addNumber(layout, &ScenarioSettings::bucketCapMb,
                    new SettingRow(tr("Bucket size"), tr("bucket_cap_mb; DDP's default is 25 MiB"),
                                   bucketRange(core::DefaultBucketCapMb), this));
    auto *first = addNumber(layout, &ScenarioSettings::firstBucketMb,
                            new SettingRow(tr("First bucket"), tr("DDP's default is 1 MiB"),
                                           { 0.1, 100, 1, 1, tr(" MiB") }, this));
    addObstacle(layout, &SettingObstacles::buckets, { size, first });
    auto *buffer = addNumber(
        layout, &ScenarioSettings::fusionThresholdBytes,
        new SettingRow(
            tr("Fusion buffer"), tr("Horovod instead of DDP; its default is 128 MiB"),
            { 0.1, 1000, 128, 1, tr(" MiB"), SettingRow::Scale::Logarithmic, BytesPerMib }, this));
    auto *cycle = addNumber(layout, &ScenarioSettings::cycleTimeMs,
                            new SettingRow(tr("Cycle time"),
                                           tr("Horovod instead of DDP; its default is 1 ms"),
                                           { 0.1, 1000, 1, 1, tr(" ms") }, this));
    addObstacle(layout, &SettingObstacles::fusion, { buffer, cycle });
    m_schedule = new ScheduleRow(this);
    layout.addWidget(m_schedule);
    connect(m_schedule, &ScheduleRow::valueChanged, this, &WhatIfPanel::settingsChanged);
    replaceEachOther({ size, first }, { buffer, cycle });
    addObstacle(layout, &SettingObstacles::schedule, { m_schedule });
}

/// Gradients are sent in buckets, in Horovod's fusion buffers, or in slices: the later choice
/// replaces the earlier one.
void WhatIfPanel::replaceEachOther(const QList<SettingRow *> &buckets,
                                   const QList<SettingRow *> &fusion)
{
    const auto clear = [](const QList<SettingRow *> &rows) {
        for (SettingRow *row : rows)
            row->setValue(std::nullopt);
    };
    for (const auto &[rows, others] : { std::pair(buckets, fusion), std::pair(fusion, buckets) })
        for (SettingRow *row : rows)
            connect(row, &SettingRow::valueChanged, m_schedule,
                    [this, clear, row, others = others] {
                        if (!row->value())
                            return;
                        clear(others);
                        if (m_schedule->isSliced())
                            m_schedule->setValues({});
                    });
    connect(m_schedule, &ScheduleRow::valueChanged, this, [this, clear, buckets, fusion] {
        if (m_schedule->isSliced()) {
            clear(buckets);
            clear(fusion);
        }
    });
}

void WhatIfPanel::addNetwork(QVBoxLayout &layout)
{
    layout.addWidget(createLabel(tr("Network"), TextRole::Secondary, this));
    auto *rate = addNumber(layout, &ScenarioSettings::bandwidthMbit,
                           new SettingRow(tr("Link bandwidth"), tr("Nominal rate of every link"),
                                          rateRange(1000), this));
    auto *factor = addNumber(layout, &ScenarioSettings::bandwidthScale,
                             new SettingRow(tr("Bandwidth factor"), tr("Times the measured rate"),
                                            factorRange(2), this));
    // Two ways to say the same thing: the later one replaces the earlier one.
    for (const auto &[later, earlier] : { std::pair(rate, factor), std::pair(factor, rate) })
        connect(later, &SettingRow::valueChanged, this, [later = later, earlier = earlier] {
            if (later->value())
                earlier->setValue(std::nullopt);
        });
    m_bandwidthOf = new RankSettingRow(tr("This rank's link"), tr("Nominal rate of its link"),
                                       rateRange(1000), this);
    layout.addWidget(m_bandwidthOf);
    connect(m_bandwidthOf, &RankSettingRow::valueChanged, this, &WhatIfPanel::settingsChanged);
    addObstacle(layout, &SettingObstacles::bandwidth, { rate, factor, m_bandwidthOf });
    auto *latency = addNumber(layout, &ScenarioSettings::latencyUs,
                              new SettingRow(tr("Latency"), tr("Of one step between two ranks"),
                                             { 0.1, 100'000, 50, 1, tr(" \u00b5s") }, this));
    addObstacle(layout, &SettingObstacles::latency, { latency });
    auto *ranks = addNumber(layout, &ScenarioSettings::worldSize,
                            new SettingRow(tr("Ranks"), tr("World size; more ranks like these"),
                                           { 1, 4096, 8, 0, {} }, this));
    addObstacle(layout, &SettingObstacles::worldSize, { ranks });
    auto *time
        = addNumber(layout, &ScenarioSettings::commScale,
                    new SettingRow(tr("Transfer time"), tr("0 is free communication"),
                                   { 0, 2, 0, 2, tr(" \u00d7"), SettingRow::Scale::Linear }, this));
    m_commScaleOf = new RankSettingRow(
        tr("Their transfers"), tr("Between just these ranks; 0.5 is twice as fast"),
        { 0, 2, 0.5, 2, tr(" \u00d7"), SettingRow::Scale::Linear }, this);
    m_commScaleOf->hide();
    layout.addWidget(m_commScaleOf);
    connect(m_commScaleOf, &RankSettingRow::valueChanged, this, &WhatIfPanel::settingsChanged);
    addObstacle(layout, &SettingObstacles::comm, { time, m_commScaleOf });
    m_collective = new CollectiveRow(this);
    layout.addWidget(m_collective);
    connect(m_collective, &CollectiveRow::valueChanged, this, &WhatIfPanel::settingsChanged);
    addObstacle(layout, &SettingObstacles::collective, { m_collective });
    m_expand = new QCheckBox(tr("Chunk by chunk"), this);
    m_expand->setToolTip(tr("Replay and show what ranks send each other on each link"));
    layout.addWidget(m_expand);
    connect(m_expand, &QCheckBox::toggled, this, &WhatIfPanel::settingsChanged);
    addObstacle(layout, &SettingObstacles::expand, { m_expand });
}

void WhatIfPanel::addCompute(QVBoxLayout &layout)
{
    layout.addWidget(createLabel(tr("Computation"), TextRole::Secondary, this));
    m_idealPeers = new QCheckBox(tr("No stragglers"), this);
    m_idealPeers->setToolTip(tr("Every rank as fast as the median one"));
    layout.addWidget(m_idealPeers);
    connect(m_idealPeers, &QCheckBox::toggled, this, &WhatIfPanel::settingsChanged);
    addObstacle(layout, &SettingObstacles::idealPeers, { m_idealPeers });
    m_idealPipeline = new QCheckBox(tr("No pipeline bubble"), this);
    m_idealPipeline->setToolTip(tr("No stage of a pipeline waits for another"));
    layout.addWidget(m_idealPipeline);
    connect(m_idealPipeline, &QCheckBox::toggled, this, &WhatIfPanel::settingsChanged);
    addObstacle(layout, &SettingObstacles::idealPipeline, { m_idealPipeline });
    addNumber(
        layout, &ScenarioSettings::computeScale,
        new SettingRow(tr("Compute time"), tr("0.5 is twice as fast"), factorRange(0.5), this));
    m_computeScaleOf = new RankSettingRow(tr("This rank's compute"), tr("0.5 is twice as fast"),
                                          factorRange(1.5), this);
    layout.addWidget(m_computeScaleOf);
    connect(m_computeScaleOf, &RankSettingRow::valueChanged, this, &WhatIfPanel::settingsChanged);
    addNumber(layout, &ScenarioSettings::batchScale,
              new SettingRow(tr("Batch"),
                             tr("Samples of each rank, times the measured; what layers "
                                "spend on their weights stays"),
                             factorRange(2), this));
    auto *host
        = addNumber(layout, &ScenarioSettings::hostOverheadScale,
                    new SettingRow(tr("Host overhead"),
                                   tr("Launching and interpreter; 0 is what CUDA graphs "
                                      "approach"),
                                   { 0, 2, 0, 2, tr(" \u00d7"), SettingRow::Scale::Linear }, this));
    addObstacle(layout, &SettingObstacles::hostOverhead, { host });
    auto *input
        = addNumber(layout, &ScenarioSettings::inputScale,
                    new SettingRow(tr("Input time"), tr("0 is input that is always there"),
                                   { 0, 2, 0, 2, tr(" \u00d7"), SettingRow::Scale::Linear }, this));
    addObstacle(layout, &SettingObstacles::input, { input });
}

SettingRow *WhatIfPanel::addNumber(QVBoxLayout &layout, Field field, SettingRow *row)
{
    layout.addWidget(row);
    m_numbers.push_back({ field, row });
    connect(row, &SettingRow::valueChanged, this, &WhatIfPanel::settingsChanged);
    return row;
}

void WhatIfPanel::addObstacle(QVBoxLayout &layout, Obstacle reason, const QList<QWidget *> &rows)
{
    QLabel *label = createParagraph(this);
    layout.addWidget(label);
    QStringList toolTips;
    for (const QWidget *row : rows)
        toolTips << row->toolTip();
    m_hindered.push_back({ reason, rows, toolTips, label });
}

SettingRow *WhatIfPanel::rowOf(Field field) const
{
    return std::find_if(m_numbers.begin(), m_numbers.end(),
                        [field](const Number &number) { return number.field == field; })
        ->row;
}

core::ScenarioSettings WhatIfPanel::settings() const
{
    core::ScenarioSettings settings;
    for (const auto &[field, row] : m_numbers)
        settings.*field = row->value();
    if (settings.bandwidthMbit)
        settings.bandwidthScale.reset();
    settings.bandwidthMbitOf = m_bandwidthOf->valuesByRank();
    settings.commScaleOf = m_commScaleOf->values();
    settings.computeScaleOf = m_computeScaleOf->valuesByRank();
    settings.collective = m_collective->value();
    m_schedule->addTo(settings);
    if (m_idealPeers->isChecked())
        settings.idealPeers = 1;
    if (m_idealPipeline->isChecked())
        settings.idealPipeline = 1;
    if (m_expand->isChecked())
        settings.expand = 1;
    return settings;
}

void WhatIfPanel::setSettings(const core::ScenarioSettings &settings)
{
    for (const auto &[field, row] : m_numbers)
        row->setValue(settings.*field);
    m_bandwidthOf->setValues(settings.bandwidthMbitOf);
    m_commScaleOf->setValues(settings.commScaleOf);
    showTransferringRanks();
    m_computeScaleOf->setValues(settings.computeScaleOf);
    m_collective->setValue(settings.collective);
    m_schedule->setValues(settings);
    const QSignalBlocker quietPeers(m_idealPeers);
    const QSignalBlocker quietPipeline(m_idealPipeline);
    const QSignalBlocker quietChunks(m_expand);
    m_idealPeers->setChecked(settings.idealPeers.value_or(0) != 0);
    m_idealPipeline->setChecked(settings.idealPipeline.value_or(0) != 0);
    m_expand->setChecked(settings.expand.value_or(0) != 0);
}

void WhatIfPanel::setRanks(const QList<int> &ranks)
{
    QList<RankSettingRow::Ranks> each;
    for (const int rank : ranks)
        each.append(RankSettingRow::Ranks { rank });
    m_bandwidthOf->setChoices(each);
    m_computeScaleOf->setChoices(each);
    setTransferringRanks({});
    setRecordedSlices(std::nullopt);
    showRecorded(std::nullopt, {});
}

void WhatIfPanel::showRecorded(std::optional<double> bucketCapMb,
                               const std::map<int, double> &linkMbit)
{
    const auto number = [](double value) { return QString::number(value, 'g', 10); };
    SettingRow *size = rowOf(&ScenarioSettings::bucketCapMb);
    size->setRecorded(bucketCapMb ? tr("%1 MiB").arg(number(*bucketCapMb)) : QString());
    if (!size->value()) // switched on as it is, it changes nothing
        size->setRange(bucketRange(bucketCapMb.value_or(core::DefaultBucketCapMb)));
    std::map<RankSettingRow::Ranks, QString> ofRanks;
    for (const auto &[rank, mbit] : linkMbit)
        ofRanks[{ rank }] = tr("%1 Mbit/s").arg(number(mbit));
    m_bandwidthOf->setRecorded(ofRanks);
}

void WhatIfPanel::setRecordedSlices(const std::optional<core::ScenarioSettings> &recorded)
{
    m_schedule->setRecorded(recorded);
}

void WhatIfPanel::setTransferringRanks(const std::set<std::vector<int>> &sets)
{
    m_transferringRanks = sets;
    showTransferringRanks();
}

/// What is set shows, whoever set it.
void WhatIfPanel::showTransferringRanks()
{
    std::set<std::vector<int>> shown = m_transferringRanks;
    for (const auto &[ranks, factor] : m_commScaleOf->values())
        shown.insert(ranks);
    if (shown != m_shownRanks) { // else the chosen ones stay
        m_shownRanks = shown;
        m_commScaleOf->setChoices({ shown.begin(), shown.end() });
    }
    m_commScaleOf->setVisible(shown.size() > 1 || !m_commScaleOf->values().empty());
}

void WhatIfPanel::showObstacles(const core::SettingObstacles &obstacles)
{
    QSet<QString> told; // a reason that several have in common is said once
    for (const Hindered &hindered : m_hindered) {
        const std::optional<std::string> &reason = obstacles.*hindered.reason;
        const QString text = reason ? QString::fromStdString(*reason) : QString();
        for (qsizetype i = 0; i < hindered.rows.size(); ++i) {
            hindered.rows[i]->setEnabled(!reason);
            hindered.rows[i]->setToolTip(reason ? text : hindered.toolTips[i]);
        }
        hindered.label->setText(reason ? tr("Cannot be changed on this trace: %1").arg(text)
                                       : QString());
        hindered.label->setVisible(reason.has_value() && !told.contains(text));
        told.insert(text);
    }
}

void WhatIfPanel::showLinks(const std::vector<core::LinkModel> &links)
{
    SettingRow *rate = rowOf(&ScenarioSettings::bandwidthMbit);
    rate->setRecorded({});
    if (links.empty())
        return m_link->clear(); // what cannot be set for that reason says so
    const core::LinkModel &link = mainLink(links);
    m_link->setText(linkParagraph(links));
    if (link.bandwidthMbit <= 0)
        return;
    rate->setRecorded(tr("%1 Mbit/s").arg(QString::number(link.bandwidthMbit, 'g', 10)));
    // Switched on as they are, they change nothing.
    if (!rate->value())
        rate->setRange(rateRange(link.bandwidthMbit));
    if (m_bandwidthOf->values().empty())
        m_bandwidthOf->setRange(rateRange(link.bandwidthMbit));
}

void WhatIfPanel::showStatus(const QString &text, bool isError)
{
    m_status->showText(text, isError);
}

} // namespace ui
