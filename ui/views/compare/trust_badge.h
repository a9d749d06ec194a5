#pragma once

#include "core/measure/trust_level.h"
#include "core/predict/prediction.h"

#include <QString>
#include <QToolButton>

namespace ui {

/// How far a prediction is trusted, in one word; what that rests on is in its tooltip, and, on a
/// click, in a popover that stays until the next one.
class TrustBadge : public QToolButton
{
    Q_OBJECT

public:
    explicit TrustBadge(QWidget *parent);

    /// `reasons`: one a line.
    void setTrust(core::TrustLevel level, const QString &reasons);
    void setUnknown(const QString &word, const QString &why); ///< not yet, or not any more
    /// Shows that of a what-if beside the unchanged replay; unknown until it is judged.
    void showOf(const core::Prediction &whatIf, const core::Prediction &unchanged,
                bool isBeingJudged);
    QSize sizeHint() const override;
    QString reasons() const { return m_reasons; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void setWord(const QString &word, const QString &reasons);
    void showReasons();

    QString m_reasons;
    int m_dots = 0; ///< of three that are filled
};

} // namespace ui
