#include "ui/views/strategies/later_run_pane.h"

#include "core/compare/comparison_words.h"
#include "core/compare/promise.h"
#include "core/pipeline/pipeline.h"
#include "ui/session/analysis_work.h"
#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <utility>

namespace ui {

namespace {

    enum PartColumn {
        NameColumn,
        EarlierColumn,
        LaterColumn,
        DifferenceColumn,
        NoiseColumn,
        PromisedColumn,
        PartColumnCount
    };

    /// Worker thread.
    core::RunComparison comparisonOf(const Loaded &loaded,
                                     const std::shared_ptr<const core::Predictor> &known,
                                     const std::filesystem::path &later,
                                     const core::Strategy &strategy,
                                     const core::JobControl &control)
    {
        core::Predictor predictor = predictorFor(loaded, known, control.part(0, 0));
        const core::LoadedProject after = core::loadProject(later, control.part(0, 0.5));
        core::MeasuredRun earlierRun
            = core::measuredRun(*loaded.trace, *loaded.graph, control.part(0.5, 0.6));
        core::MeasuredRun laterRun
            = core::measuredRun(*after.trace, *after.graph, control.part(0.6, 0.7));
        std::optional<core::Promise> promise;
        if (!strategy.isEmpty())
            promise = core::promiseOf(predictor, strategy, control.part(0.7, 1));
        return core::compareRuns(std::move(earlierRun), std::move(laterRun), std::move(promise));
    }

    QTableWidget *createPartTable(QWidget *parent)
    {
        auto *table = new QTableWidget(parent);
        table->setColumnCount(PartColumnCount);
        table->setHorizontalHeaderLabels(
            { LaterRunPane::tr("Per iteration"), LaterRunPane::tr("Earlier run"),
              LaterRunPane::tr("Later run"), LaterRunPane::tr("Difference"),
              LaterRunPane::tr("Noise"), LaterRunPane::tr("Promised") });
        table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        table->setSelectionMode(QAbstractItemView::NoSelection);
        table->setShowGrid(false);
        table->setTabKeyNavigation(false);
        table->setAccessibleName(LaterRunPane::tr("Parts of both runs"));
        table->verticalHeader()->hide();
        table->verticalHeader()->setDefaultSectionSize(comfortableRowHeight);
        table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
        table->horizontalHeader()->setHighlightSections(false);
        for (int column = 0; column < PartColumnCount; ++column)
            table->horizontalHeaderItem(column)->setTextAlignment(
                Qt::AlignVCenter | (column == NameColumn ? Qt::AlignLeft : Qt::AlignRight));
        return table;
    }

    struct PartLine
    {
        QString name;
        std::int64_t earlierNs, laterNs;
        std::optional<std::int64_t> noiseNs, promisedNs;
    };

    void addPartLine(QTableWidget &table, const PartLine &line)
    {
        const QStringList texts {
            line.name,
            formatDuration(line.earlierNs),
            formatDuration(line.laterNs),
            formatDelta(line.laterNs - line.earlierNs),
            line.noiseNs ? u'\u00b1' + formatDuration(*line.noiseNs, 3)
                         : LaterRunPane::tr("not known"),
            line.promisedNs ? formatDuration(*line.promisedNs) : QString(),
        };
        const int row = table.rowCount();
        table.insertRow(row);
        for (int column = 0; column < PartColumnCount; ++column) {
            auto *item = new QTableWidgetItem(texts[column]);
            item->setTextAlignment(Qt::AlignVCenter
                                   | (column == NameColumn ? Qt::AlignLeft : Qt::AlignRight));
            table.setItem(row, column, item);
        }
    }

} // namespace

LaterRunPane::LaterRunPane(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_choose(new QPushButton(tr("Choose the later run\u2026"), this))
    , m_file(createLabel({}, TextRole::Secondary, this))
    , m_verdict(createLabel({}, TextRole::Large, this))
    , m_notes(createLabel({}, TextRole::Normal, this))
    , m_parts(createPartTable(this))
{
    m_choose->setToolTip(tr("A project with the job recorded after the change"));
    for (QLabel *label : { m_verdict, m_notes }) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    auto *row = new QHBoxLayout;
    row->setSpacing(space::small);
    row->addWidget(m_choose);
    row->addWidget(m_file, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::small, 0, 0);
    column->setSpacing(space::small);
    column->addLayout(row);
    column->addWidget(m_verdict);
    column->addWidget(m_notes);
    column->addWidget(m_parts, 1);
    connect(m_choose, &QPushButton::clicked, this, &LaterRunPane::choose);
    clear();
}

void LaterRunPane::clear()
{
    m_later.clear();
    m_file->clear();
    setStrategy({});
}

void LaterRunPane::setStrategy(const core::Strategy &strategy)
{
    m_strategy = strategy;
    refresh();
}

void LaterRunPane::setLaterRun(const QString &project)
{
    m_later = project;
    m_file->setText(QFileInfo(project).fileName());
    refresh();
}

void LaterRunPane::choose()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Project of the later run"), QFileInfo(m_session.projectPath()).absolutePath(),
        tr("Projects (*.longpole);;All files (*)"));
    if (!path.isEmpty())
        setLaterRun(path);
}

void LaterRunPane::refresh()
{
    m_job.cancel();
    if (m_later.isEmpty())
        return showProblem(tr("Record the job again with the exported config and import it. Then "
                              "choose that project: the runs are compared part by part."));
    showProblem(tr("Comparing\u2026"));
    m_job.start(
        [loaded = m_session.loaded(), predictor = m_session.predictor(), strategy = m_strategy,
         later = std::filesystem::path(m_later.toStdString())](const core::JobControl &control) {
            return comparisonOf(loaded, predictor, later, strategy, control);
        },
        [this](const core::RunComparison &comparison) { showComparison(comparison); },
        [this](const QString &message) { showProblem(message); });
}

void LaterRunPane::showProblem(const QString &message)
{
    m_verdict->clear();
    m_verdict->hide();
    m_notes->setText(message);
    m_parts->setRowCount(0);
    m_parts->hide();
}

void LaterRunPane::showComparison(const core::RunComparison &comparison)
{
    m_verdict->setText(unbrokenUnits(QString::fromStdString(core::comparisonHeadline(comparison))));
    m_verdict->show();
    QStringList notes;
    for (const std::string &note : core::comparisonNotes(comparison))
        notes << unbrokenUnits(QString::fromStdString(note));
    m_notes->setText(notes.join(u'\n'));
    m_parts->setRowCount(0);
    const auto &promise = comparison.promise;
    const bool hasNoise
        = comparison.earlier.iterationCount > 1 && comparison.later.iterationCount > 1;
    addPartLine(*m_parts,
                { tr("Iteration (median of %1 and %2, slowest rank)")
                      .arg(comparison.earlier.iterationCount)
                      .arg(comparison.later.iterationCount),
                  comparison.earlier.iteration.ns, comparison.later.iteration.ns,
                  hasNoise ? std::optional(comparison.gain.noiseNs()) : std::nullopt,
                  promise ? std::optional(promise->iterationNs) : std::nullopt });
    for (const core::ComparedPart &part : comparison.parts)
        addPartLine(*m_parts,
                    { tr("Mean %1").arg(QString::fromUtf8(part.part.title.data(),
                                                          qsizetype(part.part.title.size()))),
                      part.earlierNs, part.laterNs, part.noiseNs, part.promisedNs });
    m_parts->setColumnHidden(PromisedColumn, !promise);
    m_parts->show();
}

} // namespace ui
