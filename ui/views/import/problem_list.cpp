#include "ui/views/import/problem_list.h"

#include "ui/models/diagnostics_filter.h"
#include "ui/models/diagnostics_model.h"
#include "ui/theme/theme.h"
#include "ui/views/import/report_table.h"
#include "ui/widgets/elided_name.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

namespace {

    constexpr int filterWidth = 220, leastMessageWidth = 240, fileWidth = 180, placeWidth = 150;

    QString problemCount(core::Severity severity, std::size_t count)
    {
        switch (severity) {
        case core::Severity::Info:
            return countText(count, ProblemList::tr("1 note"), ProblemList::tr("%1 notes"));
        case core::Severity::Warning:
            return countText(count, ProblemList::tr("1 warning"), ProblemList::tr("%1 warnings"));
        case core::Severity::Error:
            return countText(count, ProblemList::tr("1 error"), ProblemList::tr("%1 errors"));
        }
        return {};
    }

} // namespace

ProblemList::ProblemList(QWidget *parent)
    : QWidget(parent)
    , m_model(new DiagnosticsModel(this))
    , m_filter(new DiagnosticsFilter(this))
    , m_table(new ReportTable(this))
    , m_empty(createLabel({}, TextRole::Secondary, this))
{
    m_empty->setContentsMargins(space::small, space::medium, space::large, space::medium);
    m_empty->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_empty->setWordWrap(true);
    setUpTable();
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(createToolBar());
    m_pages = new QStackedLayout;
    m_pages->addWidget(m_table);
    m_pages->addWidget(m_empty);
    column->addLayout(m_pages, 1);
    updateIcons();
    setSnapshot(std::make_shared<const InputSummary>());
}

QWidget *ProblemList::createToolBar()
{
    auto *bar = new QWidget(this);
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(space::small, space::tiny, space::medium, space::tiny);
    row->setSpacing(space::small);
    QLabel *title = createLabel(tr("Problems"), TextRole::Normal, bar);
    title->setFont(uiFont(TextSize::Normal, QFont::DemiBold));
    row->addWidget(title);
    row->addSpacing(space::small);
    for (const core::Severity severity :
         { core::Severity::Error, core::Severity::Warning, core::Severity::Info }) {
        auto *button = new QToolButton(bar);
        button->setCheckable(true);
        button->setChecked(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setToolTip(tr("Show or hide these"));
        connect(button, &QToolButton::toggled, this, [this, severity](bool isShown) {
            m_filter->setSeverityShown(severity, isShown);
            updatePage();
        });
        m_severities[static_cast<std::size_t>(severity)] = button;
        row->addWidget(button);
    }
    row->addStretch(1);
    m_text = new QLineEdit(bar);
    m_text->setPlaceholderText(tr("Filter by text"));
    m_text->setAccessibleName(tr("Filter by text"));
    m_text->setClearButtonEnabled(true);
    m_text->setFixedWidth(filterWidth);
    connect(m_text, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_filter->setText(text);
        updatePage();
    });
    row->addWidget(m_text);
    return bar;
}

void ProblemList::setUpTable()
{
    m_filter->setSourceModel(m_model);
    m_table->setModel(m_filter);
    m_table->elideNames(DiagnosticsModel::FileColumn);
    m_table->setAccessibleName(tr("Problems"));
    m_table->sortByColumn(DiagnosticsModel::SeverityColumn, Qt::DescendingOrder);
    const std::pair<int, int> widths[] {
        { DiagnosticsModel::ProblemColumn, 140 },
        { DiagnosticsModel::FileColumn, fileWidth },
        { DiagnosticsModel::OffsetColumn, placeWidth },
        { DiagnosticsModel::CountColumn, 72 },
    };
    for (const auto &[column, width] : widths)
        m_table->setColumnWidth(column, width);
    m_table->fit(DiagnosticsModel::SeverityColumn);
    m_table->fillWith(DiagnosticsModel::MessageColumn, leastMessageWidth);
}

void ProblemList::setSnapshot(const std::shared_ptr<const InputSummary> &snapshot)
{
    m_model->setSnapshot(snapshot);
    m_table->setSharedStart(sharedStart(snapshot->shownNames()));
    for (const core::Severity severity :
         { core::Severity::Info, core::Severity::Warning, core::Severity::Error }) {
        const std::size_t count = m_model->countOf(severity);
        QToolButton *button = m_severities[static_cast<std::size_t>(severity)];
        button->setText(problemCount(severity, count));
        button->setVisible(count > 0);
    }
    m_text->setVisible(!snapshot->diagnostics.empty());
    // Its place is better used for the files' names where no place in a file is told.
    const bool hasPlaces = m_model->hasPlaces();
    m_table->setColumnHidden(DiagnosticsModel::OffsetColumn, !hasPlaces);
    m_table->setColumnWidth(DiagnosticsModel::FileColumn,
                            hasPlaces ? fileWidth : fileWidth + placeWidth);
    updatePage();
}

void ProblemList::updatePage()
{
    const bool isFiltered = m_model->rowCount() > 0;
    m_empty->setText(isFiltered ? tr("No problem passes the filter.")
                                : tr("Everything was read: no record of the input was skipped."));
    m_pages->setCurrentIndex(m_filter->rowCount() > 0 ? 0 : 1);
}

const core::Diagnostic *ProblemList::selected() const
{
    const std::optional<int> row = m_table->selectedRow();
    return row ? &m_model->diagnostic(*row) : nullptr;
}

void ProblemList::selectFirst()
{
    if (m_filter->rowCount() > 0)
        m_table->selectRow(0);
}

void ProblemList::focusFilter()
{
    m_text->setFocus();
    m_text->selectAll();
}

void ProblemList::updateIcons()
{
    const SeverityIcons icons = severityIcons(palette());
    m_model->setIcons(icons);
    for (std::size_t i = 0; i < m_severities.size(); ++i)
        m_severities[i]->setIcon(icons.icons[i]);
}

void ProblemList::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        updateIcons();
    QWidget::changeEvent(event);
}

} // namespace ui
