#pragma once

#include "core/analyze/diagnosis.h"

#include <QAbstractButton>

#include <optional>
#include <string>

class QLabel;
class QPushButton;

namespace ui {

class GainBar;

/// One finding: what it is, the advice and, where it is asked for, the evidence, and how much an
/// iteration would gain. A click shows the place in the timeline.
class BottleneckRow : public QAbstractButton
{
    Q_OBJECT

public:
    /// What the longest bar of the list stands for, and what shares are of: "%1 of the iteration".
    struct Scale
    {
        std::int64_t largestGainNs = 0;
        QString shareOf;
    };

    /// `isSearched`: a search of strategies can shorten it.
    BottleneckRow(const core::Bottleneck &bottleneck, int number, const Scale &scale,
                  bool isSearched, QWidget *parent);

    /// 95 %; where it is not known, why not, in the tool tip (UTF-8; empty: it is not predicted).
    void setGainInterval(const std::optional<core::GainInterval> &interval,
                         const std::string &unknown);

    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

signals:
    void tryRequested(); ///< the what-if without the cause
    void searchRequested(); ///< for strategies that shorten it
    void graphRequested(); ///< the place in the graph

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QWidget *createText(const core::Bottleneck &bottleneck);
    QWidget *createLinks(const core::Bottleneck &bottleneck, bool isSearched);
    QWidget *createGain(const core::Bottleneck &bottleneck, const Scale &scale);

    void showEvidence(bool isShown);

    GainBar *m_bar = nullptr;
    QLabel *m_interval = nullptr;
    QPushButton *m_evidenceLink = nullptr; ///< null: there is no evidence
    QWidget *m_evidence = nullptr;
};

} // namespace ui
