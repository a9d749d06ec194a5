#include "ui/views/import/source_lists.h"

#include "ui/models/source_files_model.h"
#include "ui/models/source_ranks_model.h"
#include "ui/theme/theme.h"
#include "ui/views/import/report_table.h"
#include "ui/widgets/elided_name.h"
#include "ui/widgets/format.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

    constexpr int nameWidth = 180;
    constexpr int leastTextWidth = 160; ///< of the column that gives way

    void sortThrough(QAbstractItemModel &model, ReportTable &table, int sortRole)
    {
        auto *sorted = new QSortFilterProxyModel(&table);
        sorted->setSourceModel(&model);
        sorted->setSortRole(sortRole);
        table.setModel(sorted);
    }

    void setWidths(ReportTable &table, std::initializer_list<std::pair<int, int>> widths)
    {
        for (const auto &[column, width] : widths)
            table.setColumnWidth(column, width);
    }

} // namespace

SourceLists::SourceLists(QWidget *parent)
    : QWidget(parent)
    , m_filesModel(new SourceFilesModel(this))
    , m_ranksModel(new SourceRanksModel(this))
    , m_files(new ReportTable(this))
    , m_ranks(new ReportTable(this))
    , m_pages(new QStackedWidget(this))
{
    setUpFiles();
    setUpRanks();
    m_pages->addWidget(m_files);
    m_pages->addWidget(m_ranks);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(createHeading());
    column->addWidget(m_pages, 1);
    showFiles();
}

QWidget *SourceLists::createHeading()
{
    auto *heading = new QWidget(this);
    auto *row = new QHBoxLayout(heading);
    row->setContentsMargins(space::tiny, space::tiny, space::medium, space::tiny);
    row->setSpacing(space::tiny);
    m_filesButton = addChoice(*row, &SourceLists::showFiles);
    m_ranksButton = addChoice(*row, &SourceLists::showRanks);
    row->addStretch(1);
    return heading;
}

QToolButton *SourceLists::addChoice(QHBoxLayout &row, void (SourceLists::*onClick)())
{
    auto *button = new QToolButton(this);
    button->setCheckable(true);
    button->setAutoExclusive(true);
    button->setFont(uiFont(TextSize::Normal, QFont::DemiBold));
    connect(button, &QToolButton::clicked, this, onClick);
    row.addWidget(button);
    return button;
}

void SourceLists::setUpFiles()
{
    sortThrough(*m_filesModel, *m_files, SourceFilesModel::SortRole);
    m_files->elideNames(SourceFilesModel::NameColumn);
    m_files->setAccessibleName(tr("Files"));
    m_files->sortByColumn(SourceFilesModel::StatusColumn, Qt::DescendingOrder);
    setWidths(*m_files,
              { { SourceFilesModel::NameColumn, nameWidth },
                { SourceFilesModel::SizeColumn, 84 },
                { SourceFilesModel::RecordsColumn, 84 },
                { SourceFilesModel::ProblemsColumn, 88 } });
    m_files->fit(SourceFilesModel::StatusColumn);
    m_files->fit(SourceFilesModel::FormatColumn);
    m_files->fit(SourceFilesModel::RanksColumn);
    // Beside the file, not behind what is scrolled to.
    QHeaderView *header = m_files->horizontalHeader();
    header->moveSection(header->visualIndex(SourceFilesModel::ReasonColumn),
                        header->visualIndex(SourceFilesModel::FormatColumn));
}

void SourceLists::setUpRanks()
{
    sortThrough(*m_ranksModel, *m_ranks, SourceRanksModel::SortRole);
    m_ranks->elideNames(SourceRanksModel::FilesColumn);
    m_ranks->setAccessibleName(tr("Ranks"));
    m_ranks->sortByColumn(SourceRanksModel::RankColumn, Qt::AscendingOrder);
    setWidths(*m_ranks,
              { { SourceRanksModel::RankColumn, 100 },
                { SourceRanksModel::HostColumn, 90 },
                { SourceRanksModel::FormatColumn, 150 },
                { SourceRanksModel::IterationsColumn, 84 },
                { SourceRanksModel::MedianColumn, 140 },
                { SourceRanksModel::RecordsColumn, 84 },
                { SourceRanksModel::ProblemsColumn, 84 } });
    m_ranks->fillWith(SourceRanksModel::FilesColumn, leastTextWidth);
}

void SourceLists::setSnapshot(const std::shared_ptr<const InputSummary> &snapshot)
{
    m_filesModel->setSnapshot(snapshot);
    const QString start = sharedStart(snapshot->shownNames());
    m_files->setSharedStart(start);
    m_ranks->setSharedStart(start);
    const bool hasReasons
        = std::any_of(snapshot->files.begin(), snapshot->files.end(),
                      [](const InputFile &file) { return !file.reason.isEmpty(); });
    m_files->setColumnWidth(SourceFilesModel::NameColumn, nameWidth);
    m_files->setColumnHidden(SourceFilesModel::ReasonColumn, !hasReasons);
    m_files->fillWith(hasReasons ? SourceFilesModel::ReasonColumn : SourceFilesModel::NameColumn,
                      leastTextWidth);
    m_ranksModel->setSnapshot(snapshot);
    m_filesButton->setText(tr("Files (%1)").arg(formatCount(snapshot->files.size())));
    m_ranksButton->setText(tr("Ranks (%1)").arg(formatCount(snapshot->ranks.size())));
}

void SourceLists::setIcons(const SeverityIcons &icons, const QIcon &readWell)
{
    m_filesModel->setIcons(icons, readWell);
    m_ranksModel->setIcons(icons, readWell);
}

ReportTable &SourceLists::shown() const
{
    return m_pages->currentWidget() == m_ranks ? *m_ranks : *m_files;
}

void SourceLists::showFiles()
{
    m_filesButton->setChecked(true);
    m_pages->setCurrentWidget(m_files);
}

void SourceLists::showRanks()
{
    m_ranksButton->setChecked(true);
    m_pages->setCurrentWidget(m_ranks);
}

const InputFile *SourceLists::selectedFile() const
{
    const std::optional<int> row = m_files->selectedRow();
    return row ? &m_filesModel->file(*row) : nullptr;
}

const InputRank *SourceLists::selectedRank() const
{
    const std::optional<int> row = m_ranks->selectedRow();
    return row ? &m_ranksModel->rank(*row) : nullptr;
}

void SourceLists::clearSelection()
{
    m_files->clearSelection();
    m_ranks->clearSelection();
}

} // namespace ui
