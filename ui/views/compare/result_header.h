#pragma once

#include "core/predict/prediction.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <vector>

namespace ui {

class TrustBadge;

/// Measured beside predicted iteration time, their difference and interval, and the parts of the
/// iteration.
class ResultHeader : public QWidget
{
    Q_OBJECT

public:
    explicit ResultHeader(QWidget *parent);

    /// `reference`: what it is compared with; null: the measurement.
    void setResult(std::shared_ptr<const core::Prediction> result,
                   std::shared_ptr<const core::Prediction> reference);
    /// Shown as long as there is no result: what is being done for it, or why none comes.
    void setMessage(const QString &message);
    /// Facts given by the user that the predicted time rests on: "gradient sizes". Empty: nothing.
    void setGiven(const QString &given);
    TrustBadge &trust() { return *m_trust; } ///< at the predicted time
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool event(QEvent *event) override; ///< the tooltip says what the compact form cuts

private:
    struct Figure;

    std::vector<Figure> figures() const;
    void paintFigures(QPainter &painter) const;
    void paintFiguresCompactly(QPainter &painter) const;
    int partNameWidth() const; ///< as wide as the longest name
    int partColumnWidth() const;
    int partsWidth() const; ///< of the table of parts
    int roomForFigures() const; ///< beside it
    /// Where the window is too narrow for the figures side by side: one below the other, and
    /// smaller type.
    bool isCompact() const;
    int figureWidth() const; ///< of one of the figures side by side
    int compactValueX() const; ///< of the figures one below the other
    void paintParts(QPainter &painter) const;

    void placeBadge();
    bool isDoubted() const; ///< the predicted time is greyed

    std::int64_t beforeNs() const; ///< of the reference, else as measured
    const core::PartTimes &partsBefore() const;

    std::shared_ptr<const core::Prediction> m_result, m_reference;
    QString m_message, m_given;
    TrustBadge *m_trust;
    std::size_t m_lines = 0; ///< that a result of this project had at most: its height stays
};

} // namespace ui
