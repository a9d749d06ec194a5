#pragma once

#include "ui/jobs/handler_watch.h"

#include <QApplication>

namespace ui {

/// An application that tells of event handlers of the GUI thread that take longer than
/// HandlerWatch::LimitMs times handlerTimeFactor(): as a warning unless setReport() is called.
class WatchedApplication : public QApplication
{
public:
    WatchedApplication(int &argc, char **argv);

    void setReport(HandlerWatch::Report report) { m_report = std::move(report); }
    bool notify(QObject *receiver, QEvent *event) override;

private:
    HandlerWatch::Report m_report;
    HandlerWatch m_watch;
};

} // namespace ui
