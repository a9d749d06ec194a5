#pragma once

#include <QTreeWidget>

#include <string>
#include <vector>

namespace core {
class ProjectReader;
}

namespace ui {

/// A table of a project that can be queried.
struct SchemaTable
{
    QString name;
    bool isForReading = false; ///< one that is made for queries; else as it is stored
    struct Column
    {
        QString name, type;
    };
    std::vector<Column> columns;
};

/// Tables and views of a project: those made for queries first.
std::vector<SchemaTable> schemaOf(const core::ProjectReader &reader);

/// Tables with their columns. A double-click asks for a name to be put into the statement.
class SchemaTree : public QTreeWidget
{
    Q_OBJECT

public:
    explicit SchemaTree(QWidget *parent);

    void setSchema(const std::vector<SchemaTable> &tables);

signals:
    void nameChosen(const QString &name);
};

} // namespace ui
