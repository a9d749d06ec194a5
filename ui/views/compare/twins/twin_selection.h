#pragma once

#include "ui/views/compare/twins/op_twins.h"

#include <QObject>

#include <cstdint>
#include <memory>

namespace ui {

class OpDetails;
class TimelineWidget;

/// One selection in two timelines: what is selected in one is in the other, too, where that has the
/// same op, and the details say how both differ.
class TwinSelection : public QObject
{
    Q_OBJECT

public:
    /// All three must outlive it.
    TwinSelection(TimelineWidget &above, TimelineWidget &below, OpDetails &details,
                  QObject *parent);

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
    OpDetails &m_details;
    std::shared_ptr<const OpTwins> m_twins;
    bool m_isReference = false; ///< above; else it is the measurement
};

} // namespace ui
