#include "ui/views/compare/schedule_row.h"

#include "ui/theme/measures.h"
#include "ui/widgets/byte_spin_box.h"
#include "ui/widgets/format.h"
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

    QDoubleSpinBox *createBytes(const QString &name, QWidget *parent)
    {
        auto *box = new ByteSpinBox(parent);
        box->setRange(0, MostBytes);
        box->setSingleStep(StepBytes);
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
    , m_partition(createBytes(tr("Partition size"), this))
    , m_credit(createBytes(tr("Credit"), this))
{
    m_schedule->addItem(tr("Partitions by priority (P3)"), int(Schedule::P3));
    m_schedule->addItem(tr("Partitions in order of readiness"), int(Schedule::Fifo));
    m_schedule->addItem(tr("Buckets in order of readiness"), int(Schedule::Wfbp));
    m_schedule->setAccessibleName(m_box->text());
    auto *layout = new QFormLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addRow(m_box);
    layout->addRow(m_schedule);
    layout->addRow(tr("Partition size"), m_partition);
    layout->addRow(tr("Credit"), m_credit);
    QLabel *meaning
        = createLabel(tr("How gradients are sent: in buckets, or each cut into partitions, of "
                         "which urgent ones go first. With partitions a layer of the next "
                         "iteration waits for its own parameters only."),
                      TextRole::Small, this);
    meaning->setWordWrap(true);
    layout->addRow(meaning);
    m_partition->setToolTip(tr("Bytes of a gradient that are sent at a time. P3 takes 50,000 "
                               "parameters, 200,000 bytes."));
    m_credit->setToolTip(
        tr("Bytes that may be on their way at once; the next partition waits for room, "
           "so that a more urgent one need not wait behind it (ByteScheduler)."));
    connect(m_box, &QCheckBox::toggled, this, [this] {
        showSizes();
        emit valueChanged();
    });
    const auto choose = [this] {
        const QSignalBlocker quiet(m_box);
        m_box->setChecked(true);
        showSizes();
        emit valueChanged();
    };
    connect(m_schedule, &QComboBox::currentIndexChanged, this, choose);
    connect(m_partition, &QDoubleSpinBox::valueChanged, this, choose);
    connect(m_credit, &QDoubleSpinBox::valueChanged, this, choose);
    setRecorded(std::nullopt);
}

void ScheduleRow::setRecorded(const std::optional<core::PartitionChanges> &recorded)
{
    m_recorded = recorded;
    m_partition->setSpecialValueText(recorded ? asRecorded(recorded->partitionBytes)
                                              : tr("200,000 B (P3)"));
    if (recorded && !m_box->isChecked()) {
        const QSignalBlocker quiet(m_schedule);
        m_schedule->setCurrentIndex(m_schedule->findData(int(*recorded->schedule)));
    }
    showSizes();
}

QString ScheduleRow::asRecorded(const std::optional<double> &bytes)
{
    return bytes ? tr("%1 (recorded)").arg(formatBytes(static_cast<std::uint64_t>(*bytes)))
                 : tr("as recorded");
}

void ScheduleRow::addTo(core::Strategy &strategy) const
{
    if (!m_box->isChecked())
        return;
    const auto schedule = static_cast<Schedule>(m_schedule->currentData().toInt());
    strategy.set({ "schedule", std::string(core::scheduleName(schedule)) });
    if (!isPartitioned())
        return;
    if (const auto bytes = bytesOf(*m_partition))
        strategy.set({ "partition_bytes", *bytes });
    if (const auto bytes = bytesOf(*m_credit))
        strategy.set({ "credit_bytes", *bytes });
}

void ScheduleRow::setValues(const core::Strategy &strategy)
{
    const core::PartitionChanges changes = core::partitionChanges(strategy);
    const QSignalBlocker quietBox(m_box);
    const QSignalBlocker quietSchedule(m_schedule);
    const QSignalBlocker quietPartition(m_partition);
    const QSignalBlocker quietCredit(m_credit);
    // Sizes alone are of the partitions that are sent already.
    const bool isOfSizes = m_recorded && (changes.partitionBytes || changes.creditBytes);
    const std::optional<Schedule> schedule
        = isOfSizes ? changes.schedule.value_or(*m_recorded->schedule) : changes.schedule;
    m_box->setChecked(schedule.has_value());
    if (schedule)
        m_schedule->setCurrentIndex(m_schedule->findData(int(*schedule)));
    m_partition->setValue(changes.partitionBytes.value_or(0));
    m_credit->setValue(changes.creditBytes.value_or(0));
    showSizes();
}

bool ScheduleRow::isPartitioned() const
{
    return m_box->isChecked() && m_schedule->currentData().toInt() != int(Schedule::Wfbp);
}

/// A recorded credit is not one of partitions that are sent otherwise
/// (core::withRecordedPartitions()).
bool ScheduleRow::areAsRecorded() const
{
    if (!m_recorded)
        return false;
    return !m_box->isChecked()
        || (m_schedule->currentData().toInt() == int(*m_recorded->schedule)
            && bytesOf(*m_partition).value_or(*m_recorded->partitionBytes)
                == *m_recorded->partitionBytes);
}

void ScheduleRow::showSizes()
{
    m_credit->setSpecialValueText(areAsRecorded() ? asRecorded(m_recorded->creditBytes)
                                                  : tr("no limit"));
    const bool hasPartitions = m_schedule->currentData().toInt() != int(Schedule::Wfbp);
    m_partition->setEnabled(hasPartitions);
    m_credit->setEnabled(hasPartitions);
}

} // namespace ui
