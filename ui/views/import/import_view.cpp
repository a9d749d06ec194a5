#include "ui/views/import/import_view.h"

#include "ui/session/session.h"
#include "ui/theme/theme.h"
#include "ui/views/import/details_pane.h"
#include "ui/views/import/problem_list.h"
#include "ui/views/import/report_table.h"
#include "ui/views/import/source_lists.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTextDocumentFragment>
#include <QUrl>
#include <QVBoxLayout>

namespace ui {

namespace {

    constexpr int detailsWidth = 380;
    constexpr int noProblemsHeight = 84; ///< leaves the room to the files

    /// Two lists and the details share the width; nothing collapses.
    QSplitter *createSplitter(Qt::Orientation orientation, QWidget *first, QWidget *second,
                              const QList<int> &sizes)
    {
        auto *splitter = new QSplitter(orientation);
        splitter->addWidget(first);
        splitter->addWidget(second);
        splitter->setChildrenCollapsible(false);
        splitter->setStretchFactor(0, 1);
        splitter->setSizes(sizes);
        return splitter;
    }

    /// "13 388 events of 4 ranks  /folder/"; the first half as the command line's `info` counts.
    QString inputFacts(const InputSummary &summary)
    {
        const QString folder = QString::fromStdString(summary.commonFolder);
        if (summary.ranks.empty())
            return folder;
        const QString ranks
            = countText(summary.ranks.size(), ImportView::tr("1 rank"), ImportView::tr("%1 ranks"));
        const QString events
            = countText(summary.eventCount, ImportView::tr("1 event"), ImportView::tr("%1 events"));
        const QString counts = ImportView::tr("%1 of %2").arg(events, ranks);
        return folder.isEmpty() ? counts : counts + QStringLiteral(" \u00b7 ") + folder;
    }

    /// What the user has marked in a text that can be read only; those let the shortcut of the view
    /// come first.
    QString markedText(const QWidget *widget)
    {
        if (const auto *label = qobject_cast<const QLabel *>(widget))
            return unbroken(label->selectedText());
        if (const auto *bytes = qobject_cast<const QPlainTextEdit *>(widget))
            return bytes->textCursor().selection().toPlainText();
        return {};
    }

} // namespace

ImportView::ImportView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_problems(new ProblemList(this))
    , m_sources(new SourceLists(this))
    , m_details(new DetailsPane(this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    createActions();
    QSplitter *lists = createSplitter(Qt::Vertical, m_problems, m_sources, { 360, 300 });
    QSplitter *columns = createSplitter(Qt::Horizontal, lists, m_details, { 1000, detailsWidth });
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(createHead());
    column->addWidget(columns, 1);
    connectTables();
    connect(&session, &Session::projectChanged, this, &ImportView::onProjectChanged);
    onProjectChanged();
}

ImportView::~ImportView() = default;

QWidget *ImportView::createHead()
{
    auto *head = new QFrame(this);
    head->setObjectName(QStringLiteral("importHead"));
    auto *row = new QHBoxLayout(head);
    row->setContentsMargins(space::large, space::medium, space::large, space::medium);
    row->setSpacing(space::medium);
    m_mark = new QLabel(head);
    m_sentence = createLabel({}, TextRole::Large, head);
    m_facts = createLabel({}, TextRole::Secondary, head);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setMinimumWidth(0);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_mark);
    row->addWidget(m_sentence);
    row->addWidget(m_facts, 1);
    return head;
}

QAction *ImportView::addReportAction(const QString &text, const QString &tip,
                                     const QKeySequence &keys, void (ImportView::*slot)())
{
    auto *action = new QAction(text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setToolTip(toolTipParagraphs(tip));
    connect(action, &QAction::triggered, this, slot);
    addAction(action);
    return action;
}

void ImportView::createActions()
{
    m_reveal = addReportAction(tr("Show in the timeline"),
                               tr("Go to what was read from this file (Enter)"), {},
                               &ImportView::revealInTimeline);
    m_copy = addReportAction(tr("Copy"), tr("Copy the message, the file and the place"),
                             QKeySequence::Copy, &ImportView::copyDetails);
    m_folder
        = addReportAction(tr("Show file in folder"), tr("Open the folder of the file"),
                          QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), &ImportView::openFolder);
    addReportAction(tr("Filter problems"), {}, QKeySequence::Find, &ImportView::openFilter);
    const std::pair<ReportTable &, QString> tables[] {
        { m_problems->table(), QStringLiteral("problems") },
        { m_sources->files(), QStringLiteral("files") },
        { m_sources->ranks(), QStringLiteral("ranks") },
    };
    for (const auto &[table, name] : tables) {
        table.addActions({ m_reveal, m_copy, m_folder });
        offerCsv(table, name);
    }
}

void ImportView::connectTables()
{
    ReportTable &problems = m_problems->table();
    connect(&problems, &ReportTable::rowSelected, this, &ImportView::showDiagnostic);
    connect(&m_sources->files(), &ReportTable::rowSelected, this, &ImportView::showFile);
    connect(&m_sources->ranks(), &ReportTable::rowSelected, this, &ImportView::showRank);
    for (ReportTable *table : { &problems, &m_sources->files(), &m_sources->ranks() })
        connect(table, &QTableView::activated, m_reveal, &QAction::trigger);
}

void ImportView::onProjectChanged()
{
    m_placeJob.cancel();
    m_excerptJob.cancel();
    m_shown.reset();
    m_target.reset();
    m_place.reset();
    for (QAction *action : { m_reveal, m_copy, m_folder })
        action->setEnabled(false);
    const bool isOpen = m_session.isOpen();
    m_summary = std::make_shared<const InputSummary>(
        isOpen ? summarizeInput(m_session.reader().info()) : InputSummary {});
    m_problems->setSnapshot(m_summary);
    m_problems->setMaximumHeight(m_summary->diagnostics.empty() ? noProblemsHeight
                                                                : QWIDGETSIZE_MAX);
    m_sources->setSnapshot(m_summary);
    m_sentence->setText(isOpen ? inputSentence(*m_summary) : tr("No project is open"));
    m_facts->setText(inputFacts(*m_summary));
    m_facts->setToolTip(toolTipParagraphs(m_facts->text()));
    updateIcons();
    m_details->showText(tr("Select a problem or a file to see all that is known about it."));
    if (!m_summary->diagnostics.empty())
        m_problems->selectFirst();
    else if (!m_summary->files.empty())
        m_sources->files().selectRow(0);
}

void ImportView::updateIcons()
{
    const SeverityIcons icons = severityIcons(palette());
    m_sources->setIcons(icons, checkIcon(palette()));
    const core::Severity worst = m_summary->worst();
    const bool isGood = worst == core::Severity::Info;
    m_mark->setPixmap((isGood ? checkIcon(palette()) : icons.of(worst)).pixmap(24));
}

void ImportView::showDiagnostic()
{
    const core::Diagnostic *diagnostic = m_problems->selected();
    if (diagnostic == nullptr)
        return;
    m_sources->clearSelection();
    showDetails(describeDiagnostic(*diagnostic));
}

void ImportView::showFile()
{
    const InputFile *file = m_sources->selectedFile();
    if (file == nullptr)
        return;
    m_problems->table().clearSelection();
    m_sources->ranks().clearSelection();
    showDetails(describeFile(*file, *m_summary));
}

void ImportView::showRank()
{
    const InputRank *rank = m_sources->selectedRank();
    if (rank == nullptr)
        return;
    m_problems->table().clearSelection();
    m_sources->files().clearSelection();
    showDetails(describeRank(*rank, *m_summary));
}

void ImportView::showDetails(const InputDetails &details)
{
    m_shown = details;
    const core::ProjectInfo &info = m_session.reader().info();
    m_target = details.rank ? revealRank(info, *details.rank) : revealTarget(info, details.file);
    m_place.reset();
    m_reveal->setText(m_target ? tr("Show rank %1 in the timeline").arg(m_target->rank)
                               : tr("Show in the timeline"));
    m_reveal->setEnabled(m_target.has_value());
    m_copy->setEnabled(true);
    m_folder->setEnabled(false);
    m_details->showDetails(details, { m_reveal, m_copy, m_folder });
    m_excerptJob.cancel();
    findOnDisk();
}

void ImportView::findOnDisk()
{
    if (m_shown->file.empty())
        return;
    m_placeJob.start(
        [file = m_shown->file, project = m_session.reader().path()](const core::JobControl &) {
            return findFile(file, project);
        },
        [this](std::optional<FilePlace> place) {
            m_place = std::move(place);
            m_folder->setEnabled(m_place.has_value());
            if (!m_place)
                m_details->showNote(tr("The file is not where it was imported from any more."));
            else if (m_shown->offset)
                readBytes();
        },
        [this](const QString &message) { m_details->showNote(message); });
}

void ImportView::readBytes()
{
    m_details->showNote(tr("Reading the file there\u2026"));
    m_excerptJob.start(
        [place = *m_place, offset = *m_shown->offset](const core::JobControl &control) {
            return readExcerpt(place, offset, control);
        },
        [this](const ByteExcerpt &excerpt) { m_details->showExcerpt(excerpt); },
        [this](const QString &message) { m_details->showNote(message); });
}

void ImportView::revealInTimeline()
{
    if (m_target)
        m_session.reveal(m_target->slice, m_target->range);
}

void ImportView::copyDetails()
{
    const QString marked = markedText(QApplication::focusWidget());
    if (!marked.isEmpty())
        QGuiApplication::clipboard()->setText(marked);
    else if (m_shown)
        QGuiApplication::clipboard()->setText(m_shown->asText());
}

void ImportView::openFolder()
{
    if (!m_place)
        return;
    const QFileInfo file(QString::fromStdString(m_place->file.string()));
    QDesktopServices::openUrl(QUrl::fromLocalFile(file.absolutePath()));
}

void ImportView::openFilter()
{
    m_problems->focusFilter();
}

void ImportView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_summary != nullptr) {
        updateIcons();
        if (m_shown)
            QMetaObject::invokeMethod(
                this,
                [this] {
                    if (m_shown)
                        showDetails(InputDetails(*m_shown));
                },
                Qt::QueuedConnection);
    }
    QWidget::changeEvent(event);
}

void ImportView::focusInEvent(QFocusEvent *)
{
    const bool isSource = m_sources->shown().selectedRow().has_value();
    (isSource ? m_sources->shown() : m_problems->table()).setFocus();
}

void ImportView::enterScreenshotState(const QString &state)
{
    if (state == QLatin1String("file")) {
        m_sources->showFiles();
        m_sources->files().selectRow(0);
    } else if (state == QLatin1String("rank")) {
        m_sources->showRanks();
        m_sources->ranks().selectRow(0);
    } else {
        m_problems->selectFirst();
    }
}

bool ImportView::isReadyForScreenshot() const
{
    return !m_placeJob.isRunning() && !m_excerptJob.isRunning();
}

} // namespace ui
