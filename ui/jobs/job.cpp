#include "ui/jobs/job.h"

#include <algorithm>

namespace ui {

void JobBase::setRunning(bool isRunning)
{
    if (m_isRunning == isRunning)
        return;
    m_isRunning = isRunning;
    emit runningChanged(isRunning);
}

void JobBase::setProgress(int units, const QString &stage)
{
    m_fraction = std::clamp(static_cast<double>(units) / progressUnits, 0.0, 1.0);
    m_stage = stage;
    emit progressChanged(m_fraction, m_stage);
}

} // namespace ui
