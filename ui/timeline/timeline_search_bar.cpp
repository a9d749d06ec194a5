#include "ui/timeline/timeline_search_bar.h"

#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QToolButton>

namespace ui {
namespace {

    constexpr int CountWidth = 134; ///< the field does not move with what it says

    QToolButton *makeButton(const QString &text, const QString &tip, QWidget *parent)
    {
        auto *button = new QToolButton(parent);
        button->setText(text);
        button->setToolTip(toolTipParagraphs(tip));
        button->setAccessibleName(tip);
        button->setAutoRaise(true);
        return button;
    }

    QString searchHelp()
    {
        return TimelineSearchBar::tr("All terms must hold; blanks stand between them.\n"
                                     "allreduce \"two words\": a part of the name\n"
                                     "/all.*reduce/: a regular expression\n"
                                     "rank:3 rank:0-7 rank:0,4\n"
                                     "dur>5ms dur<=10us\n"
                                     "kind:comm: communication; or kernel, copy, framework-op, "
                                     "runtime-call, python, annotation\n"
                                     "track:python stream:7");
    }

} // namespace

TimelineSearchBar::TimelineSearchBar(QWidget *parent)
    : QFrame(parent)
    , m_edit(new QLineEdit(this))
    , m_arguments(new QCheckBox(tr("arguments too"), this))
    , m_count(createLabel({}, TextRole::Normal, this))
{
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    m_edit->setPlaceholderText(tr("Name, /expression/, rank:3, dur>5ms"));
    m_edit->setToolTip(toolTipParagraphs(searchHelp()));
    m_edit->setAccessibleName(tr("Find slices"));
    m_edit->setClearButtonEnabled(true);
    m_edit->setMinimumWidth(210);
    m_edit->installEventFilter(this);
    m_arguments->setToolTip(tr("Find the text in the arguments of slices as well, such as shapes, "
                               "process groups and stream numbers"));
    m_arguments->installEventFilter(this);
    m_count->setFixedWidth(CountWidth);
    auto *previous = makeButton(QStringLiteral("\u2191"), tr("Previous hit (Shift+Enter)"), this);
    auto *next = makeButton(QStringLiteral("\u2193"), tr("Next hit (Enter)"), this);
    auto *list = makeButton(tr("List"), tr("Show the hits as a table (Ctrl+Enter)"), this);
    auto *close = makeButton(QStringLiteral("\u00d7"), tr("Close (Esc)"), this);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 4, 4);
    layout->setSpacing(8);
    for (QWidget *widget : std::initializer_list<QWidget *> { m_edit, m_arguments, m_count,
                                                              previous, next, list, close }) {
        layout->addWidget(widget);
        if (widget == m_arguments)
            layout->addSpacing(space::medium);
    }
    auto *pause = new QTimer(this);
    pause->setSingleShot(true);
    pause->setInterval(150);
    connect(m_edit, &QLineEdit::textChanged, pause, qOverload<>(&QTimer::start));
    connect(m_arguments, &QCheckBox::toggled, pause, qOverload<>(&QTimer::start));
    connect(pause, &QTimer::timeout, this,
            [this] { emit searchRequested(m_edit->text().trimmed(), m_arguments->isChecked()); });
    connect(previous, &QToolButton::clicked, this, [this] { emit stepRequested(-1); });
    connect(next, &QToolButton::clicked, this, [this] { emit stepRequested(+1); });
    connect(list, &QToolButton::clicked, this, &TimelineSearchBar::listRequested);
    connect(close, &QToolButton::clicked, this, &TimelineSearchBar::closed);
    hide();
}

void TimelineSearchBar::open()
{
    show();
    m_edit->setFocus();
    m_edit->selectAll();
}

void TimelineSearchBar::setText(const QString &text)
{
    m_edit->setText(text);
}

QString TimelineSearchBar::text() const
{
    return m_edit->text();
}

void TimelineSearchBar::showHits(std::size_t current, std::size_t count, bool isLimited,
                                 std::optional<std::uint64_t> total)
{
    m_count->setToolTip(toolTipParagraphs({}));
    m_count->setFixedWidth(CountWidth);
    m_arguments->show();
    if (count == 0) {
        m_count->setText(m_edit->text().trimmed().isEmpty() ? QString() : tr("no hits"));
        return;
    }
    const QString all = total ? formatCount(*total)
                              : formatCount(count) + (isLimited ? QStringLiteral("+") : QString());
    if (isLimited)
        m_count->setToolTip(
            toolTipParagraphs(tr("The first %1 are shown").arg(formatCount(count))));
    const QString found = count == 1 && !isLimited ? tr("1 hit") : tr("%1 hits").arg(all);
    m_count->setText(current == 0 ? found : tr("%1 of %2").arg(formatCount(current), all));
}

void TimelineSearchBar::showMessage(const QString &message)
{
    // What is wrong needs room; the box comes back with the hits.
    if (!m_arguments->isHidden()) {
        const int box = m_arguments->sizeHint().width() + space::small + space::medium;
        m_count->setFixedWidth(CountWidth + (message.isEmpty() ? 0 : box));
        m_arguments->setVisible(message.isEmpty());
    }
    const QFontMetrics metrics(m_count->font());
    m_count->setText(metrics.elidedText(message, Qt::ElideRight, m_count->width()));
    m_count->setToolTip(toolTipParagraphs(message));
}

bool TimelineSearchBar::eventFilter(QObject *object, QEvent *event)
{
    if ((object == m_edit || object == m_arguments) && event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        const bool isOurs = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter
            || key->key() == Qt::Key_Escape;
        if (isOurs) {
            keyPressEvent(key);
            return true;
        }
    }
    return QFrame::eventFilter(object, event);
}

void TimelineSearchBar::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (event->modifiers() & Qt::ControlModifier) {
            emit listRequested();
            return;
        }
        emit stepRequested(event->modifiers() & Qt::ShiftModifier ? -1 : +1);
        return;
    case Qt::Key_Escape:
        emit closed();
        return;
    default:
        event->accept(); // the timeline's keys do not act while text is typed
    }
}

} // namespace ui
