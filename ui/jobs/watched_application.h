#pragma once

#include "ui/jobs/handler_watch.h"

#include <QApplication>

#include <cstdint>
#include <optional>

namespace ui {

/// An application that tells of event handlers of the GUI thread that take longer than
/// handlerLimitMs(): as a warning unless setReport() is called.
class WatchedApplication : public QApplication
{
public:
    enum class Watch : std::uint8_t { Always, WhereLimitIsGiven }; ///< by the environment

    WatchedApplication(int &argc, char **argv, Watch watch = Watch::Always);

    void setReport(HandlerWatch::Report report) { m_report = std::move(report); }
    bool notify(QObject *receiver, QEvent *event) override;

private:
    HandlerWatch::Report m_report;
    std::optional<HandlerWatch> m_watch; ///< empty: none of them is measured
};

} // namespace ui
