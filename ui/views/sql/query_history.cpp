#include "ui/views/sql/query_history.h"

#include <QSettings>

namespace ui {

namespace {

    constexpr int MostKeptQueries = 50;
    const QString HistoryKey = QStringLiteral("sql/history");

} // namespace

QueryHistory::QueryHistory()
    : m_queries(QSettings().value(HistoryKey).toStringList().mid(0, MostKeptQueries))
{
}

void QueryHistory::add(const QString &sql)
{
    const QString query = sql.trimmed();
    if (query.isEmpty())
        return;
    m_queries.removeAll(query);
    m_queries.prepend(query);
    m_queries = m_queries.mid(0, MostKeptQueries);
    save();
}

void QueryHistory::clear()
{
    m_queries.clear();
    save();
}

void QueryHistory::save() const
{
    QSettings().setValue(HistoryKey, m_queries);
}

QString queryTitle(const QString &sql, int most)
{
    const QString line = sql.simplified();
    return line.size() <= most ? line : line.left(most - 1) + QChar(0x2026);
}

} // namespace ui
