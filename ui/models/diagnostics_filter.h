#pragma once

#include "core/base/diagnostics.h"

#include <QSortFilterProxyModel>

#include <array>

namespace ui {

/// Sorts a DiagnosticsModel by value and leaves out what the user does not want to see.
class DiagnosticsFilter : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit DiagnosticsFilter(QObject *parent);

    /// Rows with all of these words in any of their columns or the file's whole path.
    void setText(const QString &text);
    void setSeverityShown(core::Severity severity, bool isShown);

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    QStringList m_words;
    std::array<bool, 3> m_isShown { true, true, true }; ///< by core::Severity
};

} // namespace ui
