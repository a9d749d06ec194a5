#include "ui/models/peak_memory_model.h"

#include "ui/widgets/format.h"

#include <QCoreApplication>

#include <utility>

namespace ui {

namespace {

    struct PeakMemoryWords
    {
        Q_DECLARE_TR_FUNCTIONS(PeakMemory)
    };

    QString changeOf(std::uint64_t measuredBytes, std::uint64_t predictedBytes)
    {
        if (measuredBytes == predictedBytes)
            return PeakMemoryWords::tr("unchanged");
        if (measuredBytes == 0)
            return {};
        const auto measured = static_cast<double>(measuredBytes);
        return formatSignedPercent((static_cast<double>(predictedBytes) - measured) / measured);
    }

    QString deviceOf(const core::MemoryPeak &peak)
    {
        return peak.device ? PeakMemoryWords::tr("device %1").arg(*peak.device)
                           : PeakMemoryWords::tr("host memory");
    }

    /// Behind the figures: whose they are.
    QString placeOf(const core::PeakMemory &memory)
    {
        const core::MemoryPeak &first = memory.devices.front();
        return memory.devices.size() == 1
            ? PeakMemoryWords::tr("rank %1, %2").arg(QString::number(first.rank), deviceOf(first))
            : PeakMemoryWords::tr("the largest of %1 devices")
                  .arg(formatCount(memory.devices.size()));
    }

    QVariant alignmentOfColumn(int column)
    {
        const bool isNumber = column >= PeakMemoryModel::StartColumn;
        return QVariant(int(isNumber ? Qt::AlignRight : Qt::AlignLeft) | int(Qt::AlignVCenter));
    }

} // namespace

QString peakMemoryText(const core::PeakMemory &memory)
{
    if (memory.devices.empty())
        return PeakMemoryWords::tr("Peak memory: not known: %1")
            .arg(QString::fromStdString(memory.unknown.value_or("")));
    const std::uint64_t measured = memory.measuredBytes().value_or(0);
    const auto predicted = memory.predictedBytes();
    QString text = predicted
        ? PeakMemoryWords::tr("Peak memory: measured %1, predicted %2 (%3); %4")
              .arg(formatBytes(measured), formatBytes(*predicted), changeOf(measured, *predicted),
                   placeOf(memory))
        : PeakMemoryWords::tr("Peak memory: measured %1 (%2); predicted not known: %3")
              .arg(formatBytes(measured), placeOf(memory),
                   QString::fromStdString(memory.notPredicted.value_or("")));
    if (memory.ranksWithout.size() == 1)
        text += PeakMemoryWords::tr("; nothing is recorded of rank %1")
                    .arg(memory.ranksWithout.front());
    else if (!memory.ranksWithout.empty())
        text += PeakMemoryWords::tr("; nothing is recorded of %1 other ranks")
                    .arg(formatCount(memory.ranksWithout.size()));
    return text;
}

PeakMemoryModel::PeakMemoryModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void PeakMemoryModel::setSnapshot(std::shared_ptr<const core::PeakMemory> memory)
{
    beginResetModel();
    m_memory = std::move(memory);
    endResetModel();
}

int PeakMemoryModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_memory == nullptr ? 0 : static_cast<int>(m_memory->devices.size());
}

int PeakMemoryModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString PeakMemoryModel::text(const core::MemoryPeak &peak, int column) const
{
    switch (column) {
    case RankColumn:
        return tr("Rank %1").arg(peak.rank);
    case DeviceColumn:
        return deviceOf(peak);
    case StartColumn:
        return formatBytes(peak.startBytes);
    case MeasuredColumn:
        return formatBytes(peak.measuredBytes);
    case PredictedColumn:
        return peak.predictedBytes ? formatBytes(*peak.predictedBytes) : tr("not known");
    case ChangeColumn:
        return peak.predictedBytes ? changeOf(peak.measuredBytes, *peak.predictedBytes) : QString();
    default:
        return {};
    }
}

QVariant PeakMemoryModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const core::MemoryPeak &peak = m_memory->devices[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(peak, index.column());
    case Qt::ToolTipRole:
        return index.column() == PredictedColumn && !peak.predictedBytes && m_memory->notPredicted
            ? QVariant(toolTipParagraphs(QString::fromStdString(*m_memory->notPredicted)))
            : QVariant();
    case Qt::TextAlignmentRole:
        return alignmentOfColumn(index.column());
    default:
        return {};
    }
}

QVariant PeakMemoryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return alignmentOfColumn(section);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case RankColumn:
        return tr("Rank");
    case DeviceColumn:
        return tr("Device");
    case StartColumn:
        return tr("Before the iterations");
    case MeasuredColumn:
        return tr("Measured peak");
    case PredictedColumn:
        return tr("Predicted peak");
    case ChangeColumn:
        return tr("Change");
    default:
        return {};
    }
}

} // namespace ui
