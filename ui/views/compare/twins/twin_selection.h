#pragma once

#include "ui/views/compare/twins/op_twins.h"

#include <QObject>

#include <cstdint>
#include <memory>

namespace ui {

class DeltaRibbon;
class OpDetails;
class TimelineWidget;

/// One selection in two timelines: what is selected in one is in the other, too, where that has the
/// same op; the details say how both differ, and a ribbon between them joins what is seen.
class TwinSelection : public QObject
{
    Q_OBJECT

public:
    /// The timelines must outlive it.
    TwinSelection(TimelineWidget &above, TimelineWidget &below, QWidget *parent);

    OpDetails *details() { return m_details; }
    DeltaRibbon *ribbon() { return m_ribbon; }

    /// Null: nothing is predicted. The upper selection stays.
    void setTwins(std::shared_ptr<const OpTwins> twins, bool isReference);

signals:
    void cleared(); ///< by the user

private:
    void follow(std::uint64_t id, bool isBelow);
    void clear();
    void showDetails();

    TimelineWidget &m_above;
    TimelineWidget &m_below;
    OpDetails *m_details;
    DeltaRibbon *m_ribbon;
    std::shared_ptr<const OpTwins> m_twins;
    bool m_isReference = false; ///< above; else it is the measurement
};

} // namespace ui
