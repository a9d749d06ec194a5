#pragma once

#include <QString>
#include <QStringList>

namespace ui {

/// The queries that were run, the last one first: what was run before is moved there. Those of all
/// projects are kept in the settings, at most 50.
class QueryHistory
{
public:
    QueryHistory();

    const QStringList &queries() const { return m_queries; }
    void add(const QString &sql); ///< blank ones are none
    void clear();

private:
    void save() const;

    QStringList m_queries;
};

/// One line of a menu for a query, at most so many characters long.
QString queryTitle(const QString &sql, int most = 70);

} // namespace ui
