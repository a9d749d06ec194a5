#include "ui/main_window/command_palette.h"

#include "ui/theme/measures.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

namespace ui {

namespace {

    constexpr int paletteWidth = 560;
    constexpr int paletteHeight = 360;
    constexpr int runBonus = 4;
    constexpr int wordStartBonus = 8;

    QString titleOf(const QAction &action)
    {
        const QString title = action.text().remove(QLatin1Char('&'));
        const auto objects = action.associatedObjects();
        for (const QObject *object : objects) {
            const auto *menu = qobject_cast<const QMenu *>(object);
            if (menu != nullptr && !menu->title().isEmpty())
                return menu->title().remove(QLatin1Char('&')) + QStringLiteral(": ") + title;
        }
        return title;
    }

} // namespace

std::optional<int> fuzzyScore(const QString &pattern, const QString &text)
{
    int score = 0;
    qsizetype from = 0;
    qsizetype previous = -2;
    for (const QChar wanted : pattern) {
        if (wanted.isSpace())
            continue;
        const qsizetype at = text.indexOf(wanted, from, Qt::CaseInsensitive);
        if (at < 0)
            return std::nullopt;
        const bool isWordStart = at == 0 || !text[at - 1].isLetterOrNumber();
        score += (at == previous + 1 ? runBonus : 0) + (isWordStart ? wordStartBonus : 0)
            - static_cast<int>(std::min<qsizetype>(at - from, 3));
        previous = at;
        from = at + 1;
    }
    return score;
}

CommandPalette::CommandPalette(const QList<QAction *> &actions, QWidget *parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint)
    , m_actions(actions)
    , m_edit(new QLineEdit(this))
    , m_list(new QListWidget(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setFixedSize(paletteWidth, paletteHeight);
    m_edit->setPlaceholderText(tr("Type a command"));
    m_edit->installEventFilter(this);
    m_list->setFocusPolicy(Qt::NoFocus);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(space::small, space::small, space::small, space::small);
    column->setSpacing(space::small);
    column->addWidget(m_edit);
    column->addWidget(m_list);
    connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_edit, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    filter({});
    m_edit->setFocus();
}

void CommandPalette::filter(const QString &pattern)
{
    struct Hit
    {
        int score;
        QString title;
        qsizetype index;
    };
    std::vector<Hit> hits;
    for (qsizetype i = 0; i < m_actions.size(); ++i) {
        QString title = titleOf(*m_actions[i]);
        if (const auto score = fuzzyScore(pattern, title))
            hits.push_back({ *score, std::move(title), i });
    }
    std::stable_sort(hits.begin(), hits.end(),
                     [](const Hit &a, const Hit &b) { return a.score > b.score; });
    m_list->clear();
    for (const Hit &hit : hits) {
        const QString keys = m_actions[hit.index]->shortcut().toString(QKeySequence::NativeText);
        auto *item = new QListWidgetItem(
            keys.isEmpty() ? hit.title : hit.title + QStringLiteral("    ") + keys, m_list);
        item->setData(Qt::UserRole, hit.index);
        item->setSizeHint(QSize(0, comfortableRowHeight));
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::runCurrent()
{
    const QListWidgetItem *item = m_list->currentItem();
    if (item == nullptr)
        return;
    QAction *action = m_actions[item->data(Qt::UserRole).toLongLong()];
    close();
    action->trigger();
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent *>(event)->key();
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    if (step == 0 || m_list->count() == 0)
        return QDialog::eventFilter(watched, event);
    m_list->setCurrentRow(std::clamp(m_list->currentRow() + step, 0, m_list->count() - 1));
    return true;
}

} // namespace ui
