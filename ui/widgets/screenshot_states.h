#pragma once

#include <QStringList>

namespace ui {

/// Implemented by a view (beside QWidget) that can show itself in more than its plain state for
/// `longpole-ui --screenshot`: state "critical" of view "timeline" is called "timeline-critical".
class ScreenshotStates
{
public:
    virtual ~ScreenshotStates() = default;
    /// Without the plain state, which every view has.
    virtual QStringList screenshotStates() const = 0;
    /// Enters a state; an empty name is the plain one. The analysis has been delivered before.
    virtual void enterScreenshotState(const QString &state) = 0;
    /// False while something is still on its way that the picture needs.
    virtual bool isReadyForScreenshot() const { return true; }
};

} // namespace ui
