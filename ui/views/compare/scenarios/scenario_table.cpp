#include "ui/views/compare/scenarios/scenario_table.h"

#include "core/optimize/strategy_file.h"
#include "core/predict/predictor.h"
#include "ui/session/session.h"
#include "ui/session/strategy_shelf.h"
#include "ui/theme/measures.h"
#include "ui/views/compare/scenarios/scenario_list.h"
#include "ui/views/compare/setting_words.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"

#include <QAction>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSaveFile>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

    constexpr int MostRows = 5; ///< that are seen without scrolling

    QTableView *createTable(ScenarioModel &model, QWidget *parent)
    {
        auto *table = new QTableView(parent);
        table->setModel(&model);
        table->setAccessibleName(ScenarioTable::tr("Scenarios"));
        table->setSelectionBehavior(QAbstractItemView::SelectRows);
        table->setSelectionMode(QAbstractItemView::SingleSelection);
        table->setEditTriggers(QAbstractItemView::EditKeyPressed
                               | QAbstractItemView::DoubleClicked);
        table->setShowGrid(false);
        table->verticalHeader()->hide();
        table->verticalHeader()->setDefaultSectionSize(denseRowHeight);
        QHeaderView *header = table->horizontalHeader();
        header->setHighlightSections(false);
        header->setSectionResizeMode(QHeaderView::ResizeToContents);
        header->setSectionResizeMode(ScenarioModel::Name, QHeaderView::Stretch);
        offerCsv(*table, QStringLiteral("scenarios"));
        return table;
    }

} // namespace

ScenarioTable::ScenarioTable(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_model(new ScenarioModel(this))
    , m_table(createTable(*m_model, this))
    , m_keep(new QPushButton(tr("Keep"), this))
    , m_rename(new QPushButton(tr("Rename"), this))
    , m_remove(new QPushButton(tr("Delete"), this))
    , m_save(new QPushButton(tr("Save as file\u2026"), this))
    , m_toggle(new QToolButton(this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(space::large, space::tiny, space::large, space::tiny);
    column->setSpacing(space::tiny);
    column->addWidget(m_table);
    column->addWidget(createButtons());
    m_toggle->setCheckable(true);
    m_toggle->setToolTip(
        toolTipParagraphs(tr("What was tried: kept in the project, any two of them side by side")));
    connect(m_toggle, &QToolButton::toggled, this, &QWidget::setVisible);
    hide();
    connectAll();
    showScenarios();
}

void ScenarioTable::connectAll()
{
    connect(m_table, &QTableView::clicked, this, &ScenarioTable::choose);
    connect(m_table, &QTableView::activated, this, &ScenarioTable::choose);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &ScenarioTable::updateButtons);
    connect(
        m_model, &ScenarioModel::renamed, this,
        [this](std::int64_t id, const QString &name) { m_session.shelf().rename(id, name); },
        Qt::QueuedConnection);
    // Queued: the rows are made anew while one of them is edited, and once for several signals.
    const auto showOn = [this](auto signal) {
        connect(&m_session, signal, this, &ScenarioTable::showScenarios, Qt::QueuedConnection);
    };
    showOn(&Session::projectChanged);
    showOn(&Session::analysisChanged);
    showOn(&Session::predictionChanged);
    showOn(&Session::referenceChanged);
    connect(&m_session.shelf(), &StrategyShelf::changed, this, &ScenarioTable::showScenarios,
            Qt::QueuedConnection);
    connect(&m_session.shelf(), &StrategyShelf::failed, this, &ScenarioTable::told);
    connect(&m_session, &Session::referenceChanged, this, [this] {
        if (m_session.reference() != nullptr) // how to get back is seen
            m_toggle->setChecked(true);
    });
}

QWidget *ScenarioTable::createButtons()
{
    auto *row = new QWidget(this);
    auto *line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::small);
    for (QPushButton *button : { m_keep, m_rename, m_remove, m_save })
        line->addWidget(button);
    line->addStretch();
    m_keep->setToolTip(
        toolTipParagraphs(tr("Keeps what is set in the project (Ctrl+Z undoes it)")));
    m_save->setToolTip(
        toolTipParagraphs(tr("A strategy file, which longpole replay --strategy predicts")));
    auto *remove = new QAction(m_table);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(remove);
    connect(remove, &QAction::triggered, this, &ScenarioTable::removeCurrent);
    auto *show = new QAction(m_table);
    show->setShortcut(Qt::Key_Space);
    show->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(show);
    connect(show, &QAction::triggered, this, &ScenarioTable::chooseByKey);
    connect(m_remove, &QPushButton::clicked, this, &ScenarioTable::removeCurrent);
    connect(m_keep, &QPushButton::clicked, this, &ScenarioTable::keep);
    connect(m_save, &QPushButton::clicked, this, &ScenarioTable::saveCurrent);
    connect(m_rename, &QPushButton::clicked, this, [this] {
        m_table->edit(m_table->currentIndex().siblingAtColumn(ScenarioModel::Name));
    });
    return row;
}

void ScenarioTable::showScenarios()
{
    const auto predictor = m_session.predictor();
    const auto unchanged = m_session.selfReplay();
    std::vector<Scenario> rows = scenarioList(
        { m_session.shelf().strategies(),
          predictor == nullptr ? std::nullopt : std::optional(predictor->job()), unchanged,
          m_session.prediction(), m_session.reference(), m_session.peakMemory() });
    const auto kept = m_session.shelf().strategies().size();
    m_toggle->setText(kept == 0 ? tr("Scenarios") : tr("Scenarios (%1)").arg(kept));
    const auto isLoose
        = [](const Scenario &one) { return one.id == 0 && !one.isMeasured() && one.isBelow; };
    const auto prediction = m_session.prediction();
    m_keep->setEnabled(std::any_of(rows.begin(), rows.end(), isLoose) && prediction->isJudged
                       && m_session.shelf().isEditable());
    const QModelIndex before = m_table->currentIndex();
    m_model->setScenarios(std::move(rows), unchanged == nullptr ? 0 : unchanged->measuredNs);
    const int count = std::clamp(m_model->rowCount(), 2, MostRows);
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height()
                            + count * denseRowHeight + 2 * m_table->frameWidth());
    if (before.isValid() && before.row() < m_model->rowCount())
        m_table->setCurrentIndex(m_model->index(before.row(), before.column()));
    updateButtons();
}

void ScenarioTable::keep()
{
    const auto prediction = m_session.prediction();
    const auto predictor = m_session.predictor();
    if (prediction == nullptr || predictor == nullptr)
        return;
    const auto memory = m_session.peakMemory();
    const core::StrategyFigures figures
        = core::figuresOf(*prediction, memory == nullptr ? std::nullopt : memory->predictedBytes());
    m_session.shelf().add(
        settingWords(prediction->strategy),
        core::strategyText(prediction->strategy, figures, predictor->job(), { "window", 0 }));
}

const Scenario *ScenarioTable::current() const
{
    const QModelIndex index = m_table->currentIndex();
    return index.isValid() ? &m_model->scenario(index.row()) : nullptr;
}

void ScenarioTable::updateButtons()
{
    const Scenario *const chosen = current();
    const bool isKept = chosen != nullptr && chosen->id != 0;
    for (QPushButton *button : { m_rename, m_remove, m_save })
        button->setEnabled(isKept);
}

void ScenarioTable::choose(const QModelIndex &index)
{
    const Scenario one = m_model->scenario(index.row());
    if (!one.problem.isEmpty())
        return emit told(one.problem);
    if (index.column() == ScenarioModel::Above && !one.isAbove) {
        if (one.isMeasured())
            m_session.clearReference();
        else
            m_session.setReference(one.strategy);
    } else if (index.column() == ScenarioModel::Below && !one.isBelow) {
        if (one.isMeasured())
            m_session.clearPrediction();
        else
            m_session.predict(one.strategy);
    }
}

/// A row is shown below, unless its mark of the upper timeline is current.
void ScenarioTable::chooseByKey()
{
    const QModelIndex index = m_table->currentIndex();
    if (index.isValid())
        choose(index.column() == ScenarioModel::Above
                   ? index
                   : index.siblingAtColumn(ScenarioModel::Below));
}

void ScenarioTable::removeCurrent()
{
    if (const Scenario *const chosen = current(); chosen != nullptr && chosen->id != 0)
        m_session.shelf().remove(chosen->id);
}

void ScenarioTable::saveCurrent()
{
    const Scenario *const chosen = current();
    if (chosen == nullptr)
        return;
    const std::int64_t id = chosen->id;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the strategy"), QStringLiteral("strategy.json"), tr("Strategy (*.json)"));
    for (const core::SavedStrategy &kept : m_session.shelf().strategies()) {
        if (kept.id != id || path.isEmpty())
            continue;
        QSaveFile file(path);
        const bool isWritten = file.open(QIODevice::WriteOnly)
            && file.write(QByteArray::fromStdString(kept.file)) >= 0 && file.commit();
        emit told(isWritten ? tr("Saved as %1.").arg(path)
                            : tr("%1 cannot be written: %2").arg(path, file.errorString()));
    }
}

} // namespace ui
