#pragma once

#include "ui/widgets/pictured_page.h"
#include "ui/widgets/screenshot_states.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <vector>

class QBoxLayout;
class QScrollArea;
class QStackedLayout;
class QVBoxLayout;

namespace core {
struct Diagnosis;
struct SummaryData;
}

namespace ui {

class BottleneckRow;
class Session;
class StatePage;

/// First page of an opened project: the verdict in one sentence, where the time of an iteration
/// goes, what would shorten it, and how the ranks compare.
class SummaryView : public QWidget, public ScreenshotStates, public PicturedPage
{
    Q_OBJECT

public:
    SummaryView(Session &session, QWidget *parent);

    QStringList screenshotStates() const override { return { QStringLiteral("end") }; }
    void enterScreenshotState(const QString &state) override;
    QWidget *picturedPage() override;

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void rebuild();
    void showProgress(const QString &job, double fraction, const QString &stage);
    QWidget *createPage(const core::Diagnosis &diagnosis);
    QWidget *createVerdict(const core::Diagnosis &diagnosis, const core::SummaryData &data);
    QWidget *createInputLink(QWidget *parent);
    QWidget *createPathLink(QWidget *parent);
    /// Those that can be changed, or the upper limits. Null: there are none.
    QWidget *createBottlenecks(const core::Diagnosis &diagnosis, bool areBounds);
    BottleneckRow *createBottleneck(const core::Diagnosis &diagnosis, std::size_t index,
                                    int number);
    QWidget *createRanks(const core::Diagnosis &diagnosis, const core::SummaryData &data);
    QWidget *createNearCritical(const core::Diagnosis &diagnosis);
    QWidget *createCharts(const core::SummaryData &data);
    QWidget *createCollectives();

    void showGainIntervals();
    void settleVerdict();
    void updateMargins();

    Session &m_session;
    StatePage *m_state = nullptr;
    QScrollArea *m_scroll = nullptr;
    QStackedLayout *m_pages = nullptr;
    QPointer<QWidget> m_page; ///< of the shown diagnosis
    std::vector<QPointer<BottleneckRow>> m_bottlenecks; ///< in the diagnosis' order
    QBoxLayout *m_chartRow = nullptr; ///< side by side, or below each other when narrow
    std::shared_ptr<const core::Diagnosis> m_shown;
    bool m_isShownDark = false;
};

} // namespace ui
