#pragma once

#include "core/optimize/search.h"

#include <QAbstractTableModel>

#include <memory>

namespace ui {

/// The strategies that a search found, best first; nothing while it runs.
class CandidatesModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        StrategyColumn,
        IterationColumn,
        GainColumn,
        IntervalColumn,
        NumericsColumn,
        MemoryColumn,
        TrustColumn,
        ColumnCount
    };

    explicit CandidatesModel(QObject *parent);

    void setResult(std::shared_ptr<const core::SearchResult> result);
    const core::Candidate &candidate(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const core::Candidate &candidate, int column) const;

    std::shared_ptr<const core::SearchResult> m_result;
};

} // namespace ui
