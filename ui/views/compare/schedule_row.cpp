#include "ui/views/compare/schedule_row.h"

#include "ui/theme/measures.h"
#include "ui/widgets/byte_spin_box.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>

namespace ui {

using core::Schedule;

namespace {

    constexpr double MostBytes = 1e12; // as --set allows
    constexpr double StepBytes = 65'536;

    QDoubleSpinBox *createBytes(const QString &unset, const QString &name, QWidget *parent)
    {
        auto *box = new ByteSpinBox(parent);
        box->setRange(0, MostBytes);
        box->setSingleStep(StepBytes);
        box->setSpecialValueText(unset);
        box->setAccessibleName(name);
        return box;
    }

    std::optional<double> bytesOf(const QDoubleSpinBox &box)
    {
        return box.value() > 0 ? std::optional(box.value()) : std::nullopt;
    }

} // namespace

ScheduleRow::ScheduleRow(QWidget *parent)
    : QWidget(parent)
    , m_box(new QCheckBox(tr("Schedule"), this))
    , m_schedule(new QComboBox(this))
    , m_partition(createBytes(tr("200,000 B (P3)"), tr("Slice size"), this))
    , m_credit(createBytes(tr("no limit"), tr("Credit"), this))
{
    m_schedule->addItem(tr("Slices by priority (P3)"), int(Schedule::P3));
    m_schedule->addItem(tr("Slices in order of readiness"), int(Schedule::Fifo));
    m_schedule->addItem(tr("Buckets in order of readiness"), int(Schedule::Wfbp));
    m_schedule->setAccessibleName(m_box->text());
    auto *layout = new QFormLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addRow(m_box);
    layout->addRow(m_schedule);
    layout->addRow(tr("Slice size"), m_partition);
    layout->addRow(tr("Credit"), m_credit);
    QLabel *meaning
        = createLabel(tr("How gradients are sent: in buckets, or each cut into slices, of "
                         "which urgent ones go first. With slices a layer of the next "
                         "iteration waits for its own parameters only."),
                      TextRole::Small, this);
    meaning->setWordWrap(true);
    layout->addRow(meaning);
    m_partition->setToolTip(tr("Bytes of a gradient that are sent at a time. P3 takes 50,000 "
                               "parameters, 200,000 bytes."));
    m_credit->setToolTip(
        tr("Bytes that may be on their way at once; the next slice waits for room, "
           "so that a more urgent one need not wait behind it (ByteScheduler)."));
    connect(m_box, &QCheckBox::toggled, this, &ScheduleRow::valueChanged);
    const auto choose = [this] {
        const QSignalBlocker quiet(m_box);
        m_box->setChecked(true);
        showSizes();
        emit valueChanged();
    };
    connect(m_schedule, &QComboBox::currentIndexChanged, this, choose);
    connect(m_partition, &QDoubleSpinBox::valueChanged, this, choose);
    connect(m_credit, &QDoubleSpinBox::valueChanged, this, choose);
    showSizes();
}

void ScheduleRow::addTo(core::ScenarioSettings &settings) const
{
    if (!m_box->isChecked())
        return;
    settings.schedule = static_cast<Schedule>(m_schedule->currentData().toInt());
    if (isSliced()) {
        settings.partitionBytes = bytesOf(*m_partition);
        settings.creditBytes = bytesOf(*m_credit);
    }
}

void ScheduleRow::setValues(const core::ScenarioSettings &settings)
{
    const QSignalBlocker quietBox(m_box);
    const QSignalBlocker quietSchedule(m_schedule);
    const QSignalBlocker quietPartition(m_partition);
    const QSignalBlocker quietCredit(m_credit);
    m_box->setChecked(settings.schedule.has_value());
    if (settings.schedule)
        m_schedule->setCurrentIndex(m_schedule->findData(int(*settings.schedule)));
    m_partition->setValue(settings.partitionBytes.value_or(0));
    m_credit->setValue(settings.creditBytes.value_or(0));
    showSizes();
}

bool ScheduleRow::isSliced() const
{
    return m_box->isChecked() && m_schedule->currentData().toInt() != int(Schedule::Wfbp);
}

void ScheduleRow::showSizes()
{
    const bool hasSlices = m_schedule->currentData().toInt() != int(Schedule::Wfbp);
    m_partition->setEnabled(hasSlices);
    m_credit->setEnabled(hasSlices);
}

} // namespace ui
