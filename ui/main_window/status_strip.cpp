#include "ui/main_window/status_strip.h"

#include "ui/session/session.h"
#include "ui/session/strategy_search.h"
#include "ui/theme/icons.h"
#include "ui/theme/measures.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

    constexpr int progressWidth = 120;
    constexpr int detailsWidth = 440;
    constexpr int saidMs = 8000;

    QString jobTitle(const QString &job)
    {
        if (job == QLatin1String("import"))
            return StatusStrip::tr("Import");
        if (job == QLatin1String("load"))
            return StatusStrip::tr("Load");
        if (job == QLatin1String("diagnose"))
            return StatusStrip::tr("Diagnosis");
        if (job == QLatin1String("gains"))
            return StatusStrip::tr("Intervals of gains");
        if (job == QLatin1String("search"))
            return StatusStrip::tr("Search");
        if (job == QLatin1String("copy"))
            return StatusStrip::tr("Save as");
        return StatusStrip::tr("Prediction");
    }

    QString titleOf(StatusSubject subject)
    {
        switch (subject) {
        case StatusSubject::Ranks:
            return StatusStrip::tr("What was recorded");
        case StatusSubject::Clocks:
            return StatusStrip::tr("How well the ranks' clocks agree");
        case StatusSubject::Trust:
            return StatusStrip::tr("How far the predictions can be believed");
        }
        return {};
    }

    /// What the user asked for, also where it waits, before what the session finds out by itself
    /// beside it, which nobody waits for.
    QStringList jobsByUrgency()
    {
        return { QStringLiteral("import"), QStringLiteral("copy"),     QStringLiteral("predict"),
                 QStringLiteral("load"),   QStringLiteral("diagnose"), QStringLiteral("judge"),
                 QStringLiteral("search"), QStringLiteral("gains") };
    }

} // namespace

StatusStrip::StatusStrip(Session &session, QWidget *parent)
    : QFrame(parent)
    , m_session(session)
    , m_jobText(createLabel({}, TextRole::Secondary, this))
    , m_progress(new QProgressBar(this))
    , m_cancel(new QToolButton(this))
    , m_said(new ElidedLabel(TextRole::Normal, this))
    , m_ranks(createStateButton(StatusSubject::Ranks))
    , m_alignment(createStateButton(StatusSubject::Clocks))
    , m_trust(createStateButton(StatusSubject::Trust))
{
    setObjectName(QStringLiteral("statusStrip"));
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(progressWidth);
    m_cancel->setToolTip(tr("Cancel"));
    m_cancel->setAccessibleName(tr("Cancel the running job"));
    m_cancel->setIcon(themedIcon(QStringLiteral("close"), palette()));

    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(space::large, 1, space::small, 1);
    row->setSpacing(space::small);
    row->addWidget(m_jobText);
    row->addWidget(m_progress);
    row->addWidget(m_cancel);
    row->addWidget(m_said, 1);
    row->addWidget(m_ranks);
    row->addWidget(m_alignment);
    row->addWidget(m_trust);
    setFixedHeight(comfortableRowHeight);

    connect(&session, &Session::jobProgressChanged, this, &StatusStrip::updateJob);
    connect(&session, &Session::projectChanged, this, &StatusStrip::updateState);
    connect(&session.search(), &StrategySearch::stateChanged, this, [this] {
        if (m_session.search().isCutOff())
            say(tr("The search ended: the project was changed"));
    });
    connect(&session, &Session::shownResultChanged, this, &StatusStrip::updateState);
    connect(m_cancel, &QToolButton::clicked, this, [this] { m_session.cancelJob(firstJob()); });
    m_saidTimer.setSingleShot(true);
    m_saidTimer.setInterval(saidMs);
    connect(&m_saidTimer, &QTimer::timeout, this, [this] { m_said->setFullText({}); });
    showJobs();
    updateState();
}

void StatusStrip::say(const QString &text)
{
    m_said->setFullText(text);
    m_saidTimer.start();
}

QPushButton *StatusStrip::createStateButton(StatusSubject subject)
{
    auto *button = new QPushButton(this);
    button->setProperty("status", true);
    button->setToolTip(toolTipParagraphs(titleOf(subject)));
    connect(button, &QPushButton::clicked, this, [this, subject] { showDetails(subject); });
    return button;
}

void StatusStrip::updateJob(const QString &job, double fraction, const QString &stage)
{
    if (m_session.isRunning(job))
        m_running[job] = { fraction, stage };
    else
        m_running.remove(job);
    showJobs();
}

void StatusStrip::showJobs()
{
    const bool hasJobs = !m_running.isEmpty();
    const bool isHeldBack = !hasJobs && m_session.isAnalysisHeldBack();
    m_jobText->setVisible(hasJobs || isHeldBack);
    m_jobText->setToolTip(
        isHeldBack ? toolTipParagraphs(tr("The trace of this large project is read when a view, a "
                                          "selected slice or the critical path needs it."))
                   : QString());
    if (isHeldBack)
        m_jobText->setText(tr("Shown as analysed before"));
    m_progress->setVisible(hasJobs);
    m_cancel->setVisible(hasJobs);
    if (!hasJobs)
        return;
    const QString job = firstJob();
    Running first = m_running.value(job);
    const QString title = jobTitle(job);
    const bool isWaiting
        = job == QLatin1String("predict") && m_running.contains(QStringLiteral("load"));
    if (isWaiting)
        first.stage = tr("waits for the trace");
    const QString text = first.stage.isEmpty() ? title : tr("%1: %2").arg(title, first.stage);
    m_jobText->setText(
        m_running.size() == 1 ? text : tr("%1 (and %2 more)").arg(text).arg(m_running.size() - 1));
    m_progress->setValue(static_cast<int>(std::lround(first.fraction * 1000)));
}

/// The one that is named and cancelled; empty where none runs.
QString StatusStrip::firstJob() const
{
    const QStringList jobs = jobsByUrgency();
    for (const QString &job : jobs)
        if (m_running.contains(job))
            return job;
    return {};
}

void StatusStrip::updateState()
{
    showJobs();
    const bool isOpen = m_session.isOpen();
    const auto show = [](QPushButton *button, const QString &text) {
        button->setText(text);
        button->setVisible(!text.isEmpty());
    };
    show(m_ranks, isOpen ? ranksText(m_session.reader().info()) : QString());
    show(m_alignment, isOpen ? alignmentText(m_session.reader().info()) : QString());
    show(m_trust, isOpen ? trustText(m_session) : QString());
    const QString reasons = isOpen ? trustReasons(m_session) : QString();
    m_trust->setToolTip(reasons.isEmpty() ? titleOf(StatusSubject::Trust)
                                          : toolTipParagraphs(reasons));
}

void StatusStrip::showDetails(StatusSubject subject)
{
    auto *popup = new QFrame(this, Qt::Popup);
    popup->setAttribute(Qt::WA_DeleteOnClose);
    popup->setProperty("card", true);
    auto *column = new QVBoxLayout(popup);
    column->setContentsMargins(space::large, space::medium, space::large, space::medium);
    column->addWidget(createLabel(titleOf(subject), TextRole::Large, popup));
    QLabel *text = createLabel(statusDetails(m_session, subject), TextRole::Normal, popup);
    text->setWordWrap(true);
    text->setFixedWidth(detailsWidth);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text->adjustSize();
    // Many reasons would make it higher than the window.
    auto *scroll = new QScrollArea(popup);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(text);
    scroll->setFixedSize(detailsWidth + scroll->verticalScrollBar()->sizeHint().width(),
                         std::min(text->height(), window()->height() * 2 / 3));
    column->addWidget(scroll);
    if (subject == StatusSubject::Clocks) {
        auto *clocks = new QPushButton(tr("Show the page Clocks"), popup);
        connect(clocks, &QPushButton::clicked, this, [this, popup] {
            popup->close();
            m_session.showView(QStringLiteral("clocks"));
        });
        column->addWidget(clocks, 0, Qt::AlignLeft);
    }
    popup->adjustSize();
    const QPoint corner = mapToGlobal(QPoint(width() - popup->width() - space::small, 0));
    popup->move(corner - QPoint(0, popup->height() + space::tiny));
    popup->show();
}

void StatusStrip::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        m_cancel->setIcon(themedIcon(QStringLiteral("close"), palette()));
    QFrame::changeEvent(event);
}

} // namespace ui
