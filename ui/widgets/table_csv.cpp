#include "ui/widgets/table_csv.h"

#include "core/base/printable_text.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QRegularExpression>
#include <QSaveFile>
#include <QStatusTipEvent>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

namespace ui {

namespace {

    struct CsvText
    {
        Q_DECLARE_TR_FUNCTIONS(TableCsv)
    };

    /// A unit as shown, and what it is in that of the file.
    struct ShownUnit
    {
        const char16_t *shown;
        const char *written;
        double factor;
    };

    constexpr ShownUnit ShownUnits[] {
        { u"", "", 1 },
        { u"ns", "ns", 1 },
        { u"\u00b5s", "ns", 1e3 },
        { u"us", "ns", 1e3 },
        { u"ms", "ns", 1e6 },
        { u"s", "ns", 1e9 },
        { u"B", "B", 1 },
        { u"KiB", "B", 1024 },
        { u"MiB", "B", 1024.0 * 1024 },
        { u"GiB", "B", 1024.0 * 1024 * 1024 },
        { u"TiB", "B", 1024.0 * 1024 * 1024 * 1024 },
        { u"%", "%", 1 },
        { u"ppm", "ppm", 1 },
        { u"MB/s", "GB/s", 1e-3 },
        { u"GB/s", "GB/s", 1 },
        { u"Mbit/s", "Mbit/s", 1 },
        { u"Gbit/s", "Mbit/s", 1e3 },
    };

    struct Quantity
    {
        double value;
        const char *unit;
    };

    /// "-12.3 ms", "+-3.1 us", "1 234 567"; empty for other text.
    std::optional<Quantity> quantityOf(QString text)
    {
        static const QRegularExpression spaces(QStringLiteral("[\\s\\x{2009}\\x{202f}\\x{a0}]"));
        static const QRegularExpression pattern(
            QStringLiteral("^\\x{b1}?([+-]?\\d+(?:\\.\\d+)?)(\\D*)$"));
        text.remove(spaces).replace(QChar(0x2212), QLatin1Char('-'));
        const QRegularExpressionMatch match = pattern.match(text);
        if (!match.hasMatch())
            return std::nullopt;
        const QString unit = match.captured(2);
        for (const ShownUnit &one : ShownUnits)
            if (unit == QStringView(one.shown))
                return Quantity { match.captured(1).toDouble() * one.factor, one.written };
        return std::nullopt;
    }

    QString numberText(double value)
    {
        constexpr double Whole = 1e15;
        return std::abs(value) < Whole && value == std::floor(value)
            ? QString::number(static_cast<qlonglong>(value))
            : QString::number(value, 'g', 12);
    }

    /// A column as it is written.
    struct CsvColumn
    {
        QString title;
        QVariantList cells;
    };

    /// A column of quantities of one unit; empty where it shows anything else.
    std::optional<CsvColumn> quantities(const QString &title, const QStringList &shown)
    {
        CsvColumn column { title, {} };
        std::set<QString> units;
        for (const QString &text : shown) {
            const std::optional<Quantity> quantity = quantityOf(text);
            if (!quantity && !text.isEmpty())
                return std::nullopt;
            if (quantity && quantity->value != 0)
                units.insert(QLatin1String(quantity->unit));
            column.cells << (quantity ? QVariant(quantity->value) : QVariant(QString()));
        }
        if (units.size() > 1)
            return std::nullopt;
        if (!units.empty())
            column.title = titleWithUnit(title, *units.begin());
        return column;
    }

    CsvColumn columnOf(const QAbstractItemModel &model, int column, const std::vector<int> &rows)
    {
        const QVariant name = model.headerData(column, Qt::Horizontal, CsvRole);
        const QString title = model.headerData(column, Qt::Horizontal).toString();
        CsvColumn exact { name.isValid() ? name.toString() : title, {} };
        QStringList shown;
        for (const int row : rows) {
            const QModelIndex index = model.index(row, column);
            exact.cells << index.data(CsvRole);
            shown << index.data().toString();
        }
        if (name.isValid())
            return exact;
        if (std::optional<CsvColumn> numbers = quantities(title, shown))
            return *numbers;
        CsvColumn words { title, {} };
        for (const QString &text : std::as_const(shown))
            words.cells << text;
        return words;
    }

    std::vector<int> rowsOf(const QAbstractItemModel &model, const QModelIndexList &chosen)
    {
        std::set<int> some;
        for (const QModelIndex &index : chosen)
            some.insert(index.row());
        if (!some.empty())
            return { some.begin(), some.end() };
        std::vector<int> all(static_cast<std::size_t>(model.rowCount()));
        for (std::size_t row = 0; row < all.size(); ++row)
            all[row] = static_cast<int>(row);
        return all;
    }

    /// The window says it where it says such things.
    void say(QWidget &from, const QString &text)
    {
        QStatusTipEvent event(text);
        QCoreApplication::sendEvent(from.window(), &event);
    }

    /// `csv` begins with a header.
    void copy(QWidget &from, const QString &csv)
    {
        QGuiApplication::clipboard()->setText(csv);
        const auto rows = csv.count(QStringLiteral("\r\n")) - 1;
        say(from,
            rows == 1 ? CsvText::tr("Copied 1 row as CSV")
                      : CsvText::tr("Copied %1 rows as CSV").arg(rows));
    }

    template <class Slot>
    QAction *addCsvAction(QWidget &widget, const QString &text, Slot slot)
    {
        auto *action = new QAction(text, &widget);
        action->setShortcutContext(Qt::WidgetShortcut);
        QObject::connect(action, &QAction::triggered, &widget, slot);
        widget.addAction(action);
        return action;
    }

    void addCsvActions(QWidget &widget, const QString &name, const std::function<QString()> &csv)
    {
        widget.setContextMenuPolicy(Qt::ActionsContextMenu);
        addCsvAction(widget, CsvText::tr("Copy as CSV"), [&widget, csv] { copy(widget, csv()); });
        addCsvAction(widget, CsvText::tr("Save as CSV\u2026"), [&widget, csv, name] {
            const QString said = saveCsvAs(widget, csv(), name + QStringLiteral(".csv"));
            if (!said.isEmpty())
                say(widget, said);
        });
    }

    bool hasCopyKey(const QWidget &widget)
    {
        const auto actions = widget.actions();
        return std::any_of(actions.begin(), actions.end(), [](const QAction *action) {
            return action->shortcut() == QKeySequence(QKeySequence::Copy);
        });
    }

} // namespace

QString csvLine(const QVariantList &cells)
{
    QStringList fields;
    for (const QVariant &cell : cells) {
        const bool isText = cell.typeId() == QMetaType::QString;
        const QString text
            = cell.typeId() == QMetaType::Double ? numberText(cell.toDouble()) : cell.toString();
        fields << QString::fromStdString(core::csvField(text.toStdString(), !isText));
    }
    return fields.join(u',') + QStringLiteral("\r\n");
}

QString tableCsv(const QAbstractItemModel &model, const QModelIndexList &chosen)
{
    const std::vector<int> rows = rowsOf(model, chosen);
    std::vector<CsvColumn> columns;
    columns.reserve(static_cast<std::size_t>(model.columnCount()));
    for (int column = 0; column < model.columnCount(); ++column)
        columns.push_back(columnOf(model, column, rows));
    QVariantList line;
    for (const CsvColumn &column : columns)
        line << column.title;
    QString text = csvLine(line);
    for (qsizetype row = 0; row < static_cast<qsizetype>(rows.size()); ++row) {
        line.clear();
        for (const CsvColumn &column : columns)
            line << column.cells[row];
        text += csvLine(line);
    }
    return text;
}

QString saveCsvAs(QWidget &parent, const QString &csv, const QString &proposed)
{
    const QString path = QFileDialog::getSaveFileName(&parent, CsvText::tr("Save as CSV"), proposed,
                                                      CsvText::tr("CSV (*.csv)"));
    if (path.isEmpty())
        return {};
    QSaveFile file(path);
    const QByteArray bytes = csv.toUtf8();
    const QString name = QFileInfo(path).fileName();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return CsvText::tr("%1 cannot be written: %2.").arg(name, file.errorString());
    return CsvText::tr("Saved as %1.").arg(name);
}

QString titleWithUnit(const QString &title, const QString &unit)
{
    return unit.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, unit);
}

void offerCsv(QWidget &widget, const QString &name, const std::function<QString()> &csv)
{
    addCsvActions(widget, name, csv);
    if (!hasCopyKey(widget))
        widget.actions().at(widget.actions().size() - 2)->setShortcut(QKeySequence::Copy);
}

void offerCsv(QAbstractItemView &view, const QString &name)
{
    addCsvActions(view, name, [&view] { return tableCsv(*view.model()); });
    if (hasCopyKey(view))
        return;
    QAction *selected = addCsvAction(view, CsvText::tr("Copy selected rows"), [&view] {
        const QModelIndexList chosen = view.selectionModel()->selectedIndexes();
        if (!chosen.isEmpty())
            copy(view, tableCsv(*view.model(), chosen));
    });
    selected->setShortcut(QKeySequence::Copy);
}

} // namespace ui
