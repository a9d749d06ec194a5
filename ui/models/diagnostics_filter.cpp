#include "ui/models/diagnostics_filter.h"

#include "ui/models/diagnostics_model.h"

#include <algorithm>

namespace ui {

DiagnosticsFilter::DiagnosticsFilter(QObject *parent)
    : QSortFilterProxyModel(parent)
{
    setSortRole(DiagnosticsModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void DiagnosticsFilter::setText(const QString &text)
{
    m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void DiagnosticsFilter::setSeverityShown(core::Severity severity, bool isShown)
{
    m_isShown[static_cast<std::size_t>(severity)] = isShown;
    invalidateFilter();
}

bool DiagnosticsFilter::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    const auto cell = [&](int column, int role) {
        return sourceModel()->index(row, column, parent).data(role);
    };
    const int severity
        = cell(DiagnosticsModel::SeverityColumn, DiagnosticsModel::SeverityRole).toInt();
    if (!m_isShown[static_cast<std::size_t>(severity)])
        return false;
    QString text;
    for (int column = 0; column < DiagnosticsModel::ColumnCount; ++column)
        text += cell(column, DiagnosticsModel::FullTextRole).toString() + QLatin1Char('\n');
    return std::all_of(m_words.begin(), m_words.end(), [&text](const QString &word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

} // namespace ui
