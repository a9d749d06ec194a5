#pragma once

#include "core/analyze/diagnosis.h"

#include <QAbstractButton>

namespace ui {

/// One finding: what it is, the evidence and the advice, and how much an iteration would gain.
/// A click shows the place in the timeline.
class BottleneckRow : public QAbstractButton
{
    Q_OBJECT

public:
    /// `largestGainNs` is what the longest bar of the list stands for.
    BottleneckRow(const core::Bottleneck &bottleneck, int number, std::int64_t largestGainNs,
                  QWidget *parent);

    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QWidget *createText(const core::Bottleneck &bottleneck);
    QWidget *createGain(const core::Bottleneck &bottleneck, std::int64_t largestGainNs);
};

} // namespace ui
