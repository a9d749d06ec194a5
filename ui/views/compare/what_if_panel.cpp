#include "ui/views/compare/what_if_panel.h"

#include "ui/theme/measures.h"
#include "ui/views/compare/setting_row.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <initializer_list>

namespace ui {

namespace {

    QLabel *createParagraph(QWidget *parent)
    {
        QLabel *label = createLabel({}, TextRole::Secondary, parent);
        label->setWordWrap(true);
        return label;
    }

    void showObstacle(const std::optional<std::string> &reason, QLabel &label,
                      std::initializer_list<SettingRow *> rows)
    {
        const QString text = reason ? QString::fromStdString(*reason) : QString();
        for (SettingRow *row : rows) {
            row->setEnabled(!reason);
            row->setToolTip(text);
        }
        label.setText(reason ? WhatIfPanel::tr("Not on this trace: %1").arg(text) : QString());
        label.setVisible(reason.has_value());
    }

} // namespace

WhatIfPanel::WhatIfPanel(QWidget *parent)
    : QWidget(parent)
    , m_bucket(new SettingRow(tr("Bucket size"), tr("bucket_cap_mb; DDP's default is 25 MiB"),
                              { 0.1, 1000, 25, 1, tr(" MiB") }, this))
    , m_firstBucket(new SettingRow(tr("First bucket"), tr("DDP's default is 1 MiB"),
                                   { 0.1, 100, 1, 1, tr(" MiB") }, this))
    , m_bandwidth(new SettingRow(tr("Link bandwidth"), tr("Nominal rate of every link"),
                                 { 10, 400'000, 1000, 0, tr(" Mbit/s") }, this))
    , m_bandwidthScale(new SettingRow(tr("Bandwidth factor"), tr("Times the measured rate"),
                                      { 0.1, 10, 2, 2, tr(" \u00d7") }, this))
    , m_bucketObstacle(createParagraph(this))
    , m_bandwidthObstacle(createParagraph(this))
    , m_link(createParagraph(this))
    , m_status(createParagraph(this))
    , m_reset(new QPushButton(tr("Reset to measured"), this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::large, space::large, space::large, space::large);
    layout->setSpacing(space::large);
    layout->addWidget(createLabel(tr("What if"), TextRole::Large, this));
    for (QWidget *widget :
         std::initializer_list<QWidget *> { m_bucket, m_firstBucket, m_bucketObstacle, m_bandwidth,
                                            m_bandwidthScale, m_bandwidthObstacle })
        layout->addWidget(widget);
    for (SettingRow *row : { m_bucket, m_firstBucket, m_bandwidth, m_bandwidthScale })
        connect(row, &SettingRow::valueChanged, this, &WhatIfPanel::settingsChanged);
    showObstacles({});
    // Two ways to say the same thing: the later one replaces the earlier one.
    connect(m_bandwidth, &SettingRow::valueChanged, this, [this] {
        if (m_bandwidth->value())
            m_bandwidthScale->setValue(std::nullopt);
    });
    connect(m_bandwidthScale, &SettingRow::valueChanged, this, [this] {
        if (m_bandwidthScale->value())
            m_bandwidth->setValue(std::nullopt);
    });
    layout->addWidget(m_reset, 0, Qt::AlignLeft);
    layout->addWidget(m_status);
    layout->addStretch();
    layout->addWidget(m_link);
    connect(m_reset, &QPushButton::clicked, this, [this] {
        setSettings({});
        emit settingsChanged();
    });
}

core::ScenarioSettings WhatIfPanel::settings() const
{
    core::ScenarioSettings settings;
    settings.bucketCapMb = m_bucket->value();
    settings.firstBucketMb = m_firstBucket->value();
    settings.bandwidthMbit = m_bandwidth->value();
    settings.bandwidthScale = m_bandwidth->value() ? std::nullopt : m_bandwidthScale->value();
    return settings;
}

void WhatIfPanel::setSettings(const core::ScenarioSettings &settings)
{
    m_bucket->setValue(settings.bucketCapMb);
    m_firstBucket->setValue(settings.firstBucketMb);
    m_bandwidth->setValue(settings.bandwidthMbit);
    m_bandwidthScale->setValue(settings.bandwidthScale);
}

void WhatIfPanel::showObstacles(const core::SettingObstacles &obstacles)
{
    showObstacle(obstacles.buckets, *m_bucketObstacle, { m_bucket, m_firstBucket });
    showObstacle(obstacles.bandwidth, *m_bandwidthObstacle, { m_bandwidth, m_bandwidthScale });
}

void WhatIfPanel::showLinks(const std::vector<core::LinkModel> &links)
{
    if (links.empty()) {
        m_link->clear(); // what cannot be set for that reason says so
        return;
    }
    const core::LinkModel &link = links.front();
    QString text = tr("Link as fitted from %1 transfers: %2 and %3 latency (alpha); median error "
                      "%4.")
                       .arg(formatCount(link.transfers), formatRate(link.rateMbit()),
                            formatDuration(static_cast<std::int64_t>(link.alphaNs)),
                            formatPercent(link.medianErrorFraction));
    if (link.nominalMbit) {
        text += QLatin1Char(' ') + tr("Nominal rate: %1.").arg(formatRate(*link.nominalMbit));
    }
    // Units stay in one line.
    text.replace(QStringLiteral("/s"), QStringLiteral("\u2060/\u2060s"));
    text.replace(QChar(0x2009), QChar(0x202F));
    m_link->setText(text);
    if (!m_bandwidth->value()) {
        const double initial = link.nominalMbit.value_or(std::max(10.0, link.rateMbit()));
        m_bandwidth->setRange({ 10, 400'000, initial, 0, tr(" Mbit/s") });
    }
}

void WhatIfPanel::showStatus(const QString &text, bool isError)
{
    m_status->setProperty("textRole",
                          isError ? QStringLiteral("error") : QStringLiteral("secondary"));
    m_status->setText(text);
}

} // namespace ui
