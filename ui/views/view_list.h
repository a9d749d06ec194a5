#pragma once

#include <span>

class QWidget;

namespace ui {

class Session;

/// Where a view's menus are: one of its own in the bar, or in that of the tools.
enum class ViewPlace { Bar, Tools };

/// A workspace of the main window. Its widget reads and writes the Session only. The window lists
/// the actions that the widget was given with addAction() in a menu called like the view.
struct ViewEntry
{
    const char *id; ///< stable: --screenshot, Session::showView(), settings
    const char *title; ///< untranslated; context "Views"
    QWidget *(*create)(Session &session, QWidget *parent);
    ViewPlace place = ViewPlace::Bar;
    bool needsAnalysis = false; ///< shows nothing without: Session::requestAnalysis()
};

/// All views in the order of their tabs.
std::span<const ViewEntry> viewList();

} // namespace ui
