#include "ui/views/strategies/later_run_pane.h"

#include "core/base/sentence.h"
#include "core/compare/comparison_rows.h"
#include "core/compare/comparison_words.h"
#include "core/compare/promise.h"
#include "core/pipeline/pipeline.h"
#include "ui/session/analysis_work.h"
#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <filesystem>
#include <optional>
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
    MeasuredRuns measuredRuns(const Loaded &loaded, const std::filesystem::path &later,
                              const core::JobControl &control)
    {
        const core::LoadedProject after = core::loadProject(later, control.part(0, 0.6));
        return { std::make_shared<const core::MeasuredRun>(core::measuredRunOf(
                     loaded.project, *loaded.trace, *loaded.graph, control.part(0.6, 0.8))),
                 std::make_shared<const core::MeasuredRun>(core::measuredRunOf(
                     later, *after.trace, *after.graph, control.part(0.8, 1))) };
    }

    /// Worker thread.
    core::RunComparison comparisonOf(const MeasuredRuns &runs, const Loaded &loaded,
                                     const std::shared_ptr<const core::Predictor> &known,
                                     const core::Strategy &strategy,
                                     const core::JobControl &control)
    {
        std::optional<core::Promise> promise;
        if (!strategy.isEmpty()) {
            core::Predictor predictor = predictorFor(loaded, known, control.part(0, 0));
            promise = core::promiseOf(predictor, strategy, control);
        }
        return core::compareRuns(*runs.earlier, *runs.later, std::move(promise));
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
        offerCsv(*table, QStringLiteral("runs"));
        return table;
    }

    void addRow(QTableWidget &table, const core::ComparedRow &compared)
    {
        const QStringList texts {
            unbrokenUnits(QString::fromStdString(core::withCapital(compared.title))),
            formatDuration(compared.earlierNs),
            formatDuration(compared.laterNs),
            formatDelta(compared.laterNs - compared.earlierNs),
            compared.noiseNs ? u'\u00b1' + formatDuration(*compared.noiseNs, 3)
                             : LaterRunPane::tr("not known"),
            compared.promisedNs ? formatDuration(*compared.promisedNs) : QString(),
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
    column->addWidget(m_parts, 100); // all the room while there are parts
    column->addStretch(1);
    connect(m_choose, &QPushButton::clicked, this, &LaterRunPane::choose);
    connect(&m_session, &Session::analysisChanged, this, &LaterRunPane::refresh);
    clear();
}

void LaterRunPane::clear()
{
    setLaterRun({});
    setStrategy({});
}

void LaterRunPane::setStrategy(const core::Strategy &strategy)
{
    m_comparing.cancel();
    m_strategy = strategy;
    m_isStale = true;
    refresh();
}

void LaterRunPane::setLaterRun(const QString &project)
{
    m_measuring.cancel();
    m_comparing.cancel();
    m_runs = {};
    m_later = project;
    m_file->setText(QFileInfo(project).fileName());
    m_isStale = true;
    refresh();
}

void LaterRunPane::setShown(bool shown)
{
    m_isShown = shown;
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

/// Stays stale until both runs are measured, and the project is analysed.
void LaterRunPane::refresh()
{
    if (!m_isShown || !m_isStale || m_measuring.isRunning())
        return;
    if (m_later.isEmpty()) {
        m_isStale = false;
        return showProblem(tr("Record the job again with the exported config and import it. Then "
                              "choose that project: the runs are compared part by part."));
    }
    if (m_session.predictor() == nullptr || m_session.loaded().trace == nullptr)
        return showProblem(tr("The runs are compared once the open project is analysed."));
    showProblem(tr("Comparing\u2026"));
    if (m_runs.earlier == nullptr)
        return measure();
    m_isStale = false;
    compare();
}

void LaterRunPane::measure()
{
    m_measuring.start(
        [loaded = m_session.loaded(), later = std::filesystem::path(m_later.toStdString())](
            const core::JobControl &control) { return measuredRuns(loaded, later, control); },
        [this](const MeasuredRuns &runs) {
            m_runs = runs;
            refresh();
        },
        [this](const QString &message) {
            m_isStale = false;
            showProblem(message);
        });
}

void LaterRunPane::compare()
{
    m_comparing.start(
        [runs = m_runs, loaded = m_session.loaded(), predictor = m_session.predictor(),
         strategy = m_strategy](const core::JobControl &control) {
            return comparisonOf(runs, loaded, predictor, strategy, control);
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
    for (const core::ComparedRow &row : core::comparedRows(comparison))
        addRow(*m_parts, row);
    m_parts->setColumnHidden(PromisedColumn, !comparison.promise);
    m_parts->show();
}

} // namespace ui
