#include "ui/views/strategies/saved_list.h"

#include "ui/session/strategy_shelf.h"
#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace ui {

namespace {

    constexpr int IdRole = Qt::UserRole;

} // namespace

SavedList::SavedList(StrategyShelf &shelf, QWidget *parent)
    : QWidget(parent)
    , m_shelf(shelf)
    , m_list(new QListWidget(this))
    , m_none(createLabel({}, TextRole::Secondary, this))
    , m_rename(new QPushButton(tr("Rename"), this))
    , m_remove(new QPushButton(tr("Delete"), this))
{
    m_list->setAccessibleName(tr("Saved strategies"));
    m_list->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    m_list->setWordWrap(true);
    m_none->setWordWrap(true);
    m_none->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(space::small);
    buttons->addWidget(m_rename);
    buttons->addWidget(m_remove);
    buttons->addStretch(1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::small);
    column->addWidget(createLabel(tr("Saved in the project"), TextRole::Large, this));
    column->addWidget(m_none);
    column->addWidget(m_list, 1);
    column->addLayout(buttons);
    column->addStretch(0);
    auto *remove = new QAction(m_list);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    m_list->addAction(remove);
    connect(remove, &QAction::triggered, this, &SavedList::removeChosen);
    connect(m_remove, &QPushButton::clicked, this, &SavedList::removeChosen);
    connect(m_rename, &QPushButton::clicked, this, [this] {
        if (m_list->currentItem() != nullptr)
            m_list->editItem(m_list->currentItem());
    });
    connect(m_list, &QListWidget::itemChanged, this, [this](const QListWidgetItem *item) {
        m_shelf.rename(item->data(IdRole).toLongLong(), item->text());
    });
    connect(m_list, &QListWidget::itemSelectionChanged, this, [this] {
        updateButtons();
        if (const auto id = chosen())
            emit strategyChosen(*id);
    });
    // Queued: the list is made anew while an item of it is edited.
    connect(&shelf, &StrategyShelf::changed, this, &SavedList::showStrategies,
            Qt::QueuedConnection);
    showStrategies();
}

void SavedList::showStrategies()
{
    const auto before = chosen();
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    for (const core::SavedStrategy &one : m_shelf.strategies()) {
        auto *item = new QListWidgetItem(QString::fromStdString(one.name), m_list);
        item->setData(IdRole, qlonglong(one.id));
        item->setFlags(item->flags() | Qt::ItemIsEditable);
        item->setToolTip(toolTipParagraphs(item->text()));
        if (before == one.id)
            m_list->setCurrentItem(item);
    }
    const bool hasSome = m_list->count() > 0;
    m_none->setText(m_shelf.error().isEmpty() ? tr("None yet. Choose a found strategy and save it.")
                                              : tr("They cannot be read: %1").arg(m_shelf.error()));
    m_none->setVisible(!hasSome);
    m_list->setVisible(hasSome);
    m_rename->setVisible(hasSome);
    m_remove->setVisible(hasSome);
    updateButtons();
}

std::optional<std::int64_t> SavedList::chosen() const
{
    const auto items = m_list->selectedItems();
    if (items.isEmpty())
        return std::nullopt;
    return items.front()->data(IdRole).toLongLong();
}

void SavedList::clearChoice()
{
    const QSignalBlocker quiet(m_list);
    m_list->setCurrentItem(nullptr);
    m_list->clearSelection();
    updateButtons();
}

void SavedList::updateButtons()
{
    const bool hasChoice = chosen().has_value();
    m_rename->setEnabled(hasChoice);
    m_remove->setEnabled(hasChoice);
}

void SavedList::removeChosen()
{
    if (const auto id = chosen())
        m_shelf.remove(*id);
}

} // namespace ui
