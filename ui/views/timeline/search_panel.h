#pragma once

#include "ui/views/timeline/timeline_search.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace ui {

class SearchHitsModel;

/// The hits of a search as a table below the timeline.
class SearchPanel : public QWidget
{
    Q_OBJECT

public:
    explicit SearchPanel(QWidget *parent = nullptr);

    /// isCut: there are more, `total` of them all where it is known. originNs: as the ruler's.
    void showHits(std::shared_ptr<const std::vector<SearchHit>> hits, bool isCut,
                  std::int64_t originNs);
    void showTotal(std::uint64_t total);
    /// How many hits have got marks, and how many had one before; until forgetMarked().
    void showMarked(std::size_t added, std::size_t known);
    void forgetMarked();
    void showMessage(const QString &message);
    void setIterations(std::vector<TimelineIteration> iterations);
    /// Selects the row of the slice, if it is a hit. No signal.
    void followSelection(core::SliceId slice);
    void focusTable();

signals:
    void hitActivated(core::SliceId slice);
    void marksRequested(const std::vector<core::TimeRange> &ranges); ///< in the table's order
    void closeRequested();

private:
    void createTable();
    void showCount();
    void activate(const QModelIndex &index);
    std::vector<core::TimeRange> ranges() const;

    std::shared_ptr<const std::vector<SearchHit>> m_hits;
    bool m_isCut = false;
    bool m_isMarkedShown = false;
    std::optional<std::uint64_t> m_total;
    QLabel *m_summary;
    SearchHitsModel *m_model;
    QSortFilterProxyModel *m_sorted;
    QTableView *m_table;
    QPushButton *m_mark;
    QPushButton *m_copy;
};

} // namespace ui
