#include "ui/views/sql/schema_tree.h"

#include "core/project/read/project_reader.h"

#include <QHeaderView>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace ui {

namespace {

    /// In the order in which they are shown; `longpole query` names the same.
    constexpr std::array<std::string_view, 9> TablesForReading {
        "slice",    "slice_total", "step",   "rank_iteration", "collective",
        "transfer", "clock",       "memory", "dependency"
    };

    constexpr std::size_t EveryRow = std::numeric_limits<std::size_t>::max();

    SchemaTable tableOf(const core::ProjectReader &reader, const std::string &name)
    {
        SchemaTable table;
        table.name = QString::fromStdString(name);
        const core::QueryResult columns = reader.query(
            "SELECT name, type FROM pragma_table_info('" + name + "')", EveryRow, {});
        for (const auto &row : columns.rows)
            table.columns.push_back({ QString::fromStdString(row[0].value_or("")),
                                      QString::fromStdString(row[1].value_or("")).toLower() });
        return table;
    }

} // namespace

std::vector<SchemaTable> schemaOf(const core::ProjectReader &reader)
{
    std::vector<SchemaTable> tables;
    for (const std::string_view name : TablesForReading) {
        tables.push_back(tableOf(reader, std::string(name)));
        tables.back().isForReading = true;
    }
    const core::QueryResult stored = reader.query(
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", EveryRow, {});
    for (const auto &row : stored.rows) {
        const std::string name = row[0].value_or("");
        const bool isPlain = std::all_of(name.begin(), name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
        });
        if (isPlain && !name.starts_with("sqlite_"))
            tables.push_back(tableOf(reader, name));
    }
    return tables;
}

SchemaTree::SchemaTree(QWidget *parent)
    : QTreeWidget(parent)
{
    setColumnCount(2);
    setHeaderLabels({ tr("Table"), tr("Type") });
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    setExpandsOnDoubleClick(false);
    setAccessibleName(tr("Tables and columns"));
    connect(this, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem *item) {
        if (item->flags().testFlag(Qt::ItemIsSelectable))
            emit nameChosen(item->text(0));
    });
}

void SchemaTree::setSchema(const std::vector<SchemaTable> &tables)
{
    clear();
    QTreeWidgetItem *stored = nullptr;
    for (const SchemaTable &table : tables) {
        if (!table.isForReading && stored == nullptr) {
            stored = new QTreeWidgetItem(this, { tr("As it is stored") });
            stored->setFlags(Qt::ItemIsEnabled);
        }
        auto *item = table.isForReading ? new QTreeWidgetItem(this, { table.name })
                                        : new QTreeWidgetItem(stored, { table.name });
        for (const SchemaTable::Column &column : table.columns)
            new QTreeWidgetItem(item, { column.name, column.type });
    }
}

} // namespace ui
