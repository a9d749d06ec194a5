#pragma once

#include "core/base/time_range.h"
#include "core/model/ids.h"
#include "ui/views/timeline/path_model.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QTreeWidget;

namespace ui {

/// The critical path of an iteration as a list below the timeline: its parts on the left, the
/// segments of the chosen part on the right.
class PathPanel : public QWidget
{
    Q_OBJECT

public:
    explicit PathPanel(QWidget *parent = nullptr);

    /// Offers the replayed iterations of a diagnosis; null for none.
    void setIterations(const core::Diagnosis *diagnosis);
    void showBusy(std::size_t place);
    void showPath(std::shared_ptr<const PickedPath> path);
    void showError(const QString &message);
    bool hasPath() const { return m_path != nullptr; }
    /// Selects the row of the slice, if it is on the list. No signal.
    void followSelection(core::SliceId slice);
    /// Goes to the next (+1) or previous (-1) segment that is over 1 % of the path.
    void step(int direction);

signals:
    void iterationPicked(std::size_t place);
    void segmentActivated(core::SliceId slice, core::TimeRange range);
    void closeRequested();

private:
    void createTable();
    void fillParts();
    void addPart(const PathFilter &filter, const QString &title, std::int64_t ns);
    void applyPart();
    void activate(const QModelIndex &index);
    void selectRow(int row);

    std::shared_ptr<const PickedPath> m_path;
    std::vector<PathFilter> m_filters; ///< by row of m_parts
    QComboBox *m_iterations;
    QLabel *m_summary;
    QTreeWidget *m_parts;
    PathModel *m_model;
    QSortFilterProxyModel *m_sorted;
    QTableView *m_table;
};

} // namespace ui
