#pragma once

#include "core/analyze/summary_data.h"
#include "core/model/trace.h"

#include <QWidget>

#include <cstddef>
#include <optional>
#include <vector>

namespace ui {

/// Ranks beside each other, and below each other what their iterations are made of: the stronger a
/// cell's colour, the larger its part of the iteration. Of more ranks than pixels a column shows
/// the largest value of its ranks. A click or Enter shows the rank in the timeline; arrows choose
/// one.
class RankMap : public QWidget
{
    Q_OBJECT

public:
    RankMap(const core::SummaryData &data, QWidget *parent);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

    /// Index into core::SummaryData::ranks at a place; empty beside the cells.
    std::optional<std::size_t> rankAt(const QPointF &position) const;
    std::size_t current() const { return m_current; }

signals:
    void rankActivated(core::SliceId slice, core::TimeRange range);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    struct Row
    {
        QString name;
        std::vector<std::int64_t> ns; ///< [ranks]
        bool isWait = false;
    };

    QString csv() const;

    QRectF cellsOf(std::size_t row) const;
    QRectF cell(std::size_t row, std::size_t rank) const;
    void paintRow(QPainter &painter, std::size_t row) const;
    void paintValues(QPainter &painter, std::size_t row) const;
    void paintNumbers(QPainter &painter) const;
    QString tip(std::size_t rank) const;
    void choose(std::size_t rank);
    void activate(std::size_t rank, bool showsWait = false);

    std::vector<core::RankParts> m_ranks;
    std::vector<Row> m_rows;
    std::int64_t m_wholeNs = 1; ///< of the strongest colour
    std::size_t m_current = 0;
    std::optional<std::size_t> m_hovered;
};

} // namespace ui
