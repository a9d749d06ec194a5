#pragma once

#include "ui/help/help_pages.h"
#include "ui/widgets/screenshot_states.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QListWidget;

namespace ui {

class HelpBrowser;

/// A window of its own with the help: pages at the left, the page that is read at the right.
class HelpWindow : public QWidget, public ScreenshotStates
{
    Q_OBJECT

public:
    explicit HelpWindow(QWidget *parent);

    /// The start page where there is no page with this id.
    void showPage(const QString &id);
    HelpBrowser &browser() const { return *m_browser; }

    /// The ids of the pages, without the start page.
    QStringList screenshotStates() const override;
    void enterScreenshotState(const QString &state) override;

private:
    QWidget *createContents();
    QWidget *createReader();
    QLayout *createBar(QWidget *reader);
    void createKeys();
    void select(const QUrl &page);
    void findText();

    QList<HelpPage> m_pages;
    QListWidget *m_contents = nullptr;
    QLineEdit *m_find = nullptr;
    QLabel *m_findNote = nullptr;
    HelpBrowser *m_browser = nullptr;
};

} // namespace ui
