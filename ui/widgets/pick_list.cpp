#include "ui/widgets/pick_list.h"

#include "ui/theme/measures.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

    constexpr int pickListWidth = 560;
    constexpr int pickListHeight = 360;
    constexpr std::size_t mostShown = 200;
    constexpr int runBonus = 4;
    constexpr int wordStartBonus = 8;

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

PickList::PickList(std::vector<PickEntry> entries, const QString &prompt, QWidget *parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint)
    , m_entries(std::move(entries))
    , m_edit(new QLineEdit(this))
    , m_list(new QListWidget(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setFixedSize(pickListWidth, pickListHeight);
    m_edit->setPlaceholderText(prompt);
    m_edit->installEventFilter(this);
    m_list->setFocusPolicy(Qt::NoFocus);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(space::small, space::small, space::small, space::small);
    column->setSpacing(space::small);
    column->addWidget(m_edit);
    column->addWidget(m_list);
    connect(m_edit, &QLineEdit::textChanged, this, &PickList::filter);
    connect(m_edit, &QLineEdit::returnPressed, this, &PickList::pickCurrent);
    connect(m_list, &QListWidget::itemClicked, this, &PickList::pickCurrent);
    filter({});
    m_edit->setFocus();
}

void PickList::popUpOver(const QWidget &window)
{
    move(window.mapToGlobal(QPoint((window.width() - width()) / 2, window.height() / 8)));
    show();
}

void PickList::filter(const QString &pattern)
{
    struct Hit
    {
        int score;
        std::size_t index;
    };
    std::vector<Hit> hits;
    for (std::size_t i = 0; i < m_entries.size(); ++i)
        if (const auto score = fuzzyScore(pattern, m_entries[i].text))
            hits.push_back({ *score, i });
    std::stable_sort(hits.begin(), hits.end(),
                     [](const Hit &a, const Hit &b) { return a.score > b.score; });
    hits.resize(std::min(hits.size(), mostShown));
    m_list->clear();
    for (const Hit &hit : hits) {
        const PickEntry &entry = m_entries[hit.index];
        auto *item = new QListWidgetItem(
            entry.note.isEmpty() ? entry.text : entry.text + QStringLiteral("    ") + entry.note,
            m_list);
        item->setData(Qt::UserRole, static_cast<qulonglong>(hit.index));
        item->setSizeHint(QSize(0, comfortableRowHeight));
    }
    m_list->setCurrentRow(0);
}

void PickList::pickCurrent()
{
    const QListWidgetItem *item = m_list->currentItem();
    if (item == nullptr)
        return;
    const auto index = static_cast<std::size_t>(item->data(Qt::UserRole).toULongLong());
    close(); // first, so that what it does has the focus
    emit picked(index);
}

bool PickList::eventFilter(QObject *watched, QEvent *event)
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
