#pragma once

#include "core/optimize/ablation.h"

#include <QWidget>

#include <cstdint>
#include <vector>

namespace ui {

/// Contributions of a strategy's parts: a bar as long as the iteration would be longer
/// without it, the longest first. Hidden where there are fewer than two parts.
class PartBars : public QWidget
{
    Q_OBJECT

public:
    explicit PartBars(QWidget *parent);

    /// `predictedNs`: the iteration with the whole strategy.
    void setParts(const std::vector<core::StrategyPart> &parts, std::int64_t predictedNs);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Bar
    {
        QString name;
        std::int64_t savedNs = 0; ///< below 0: without it the iteration is shorter
    };

    std::vector<Bar> m_bars;
};

} // namespace ui
