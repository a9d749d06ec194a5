#pragma once

#include <QTextBrowser>

namespace ui {

/// Shows one help page, in the colours of the theme. Links between pages lead on; others open in
/// the system's browser.
class HelpBrowser : public QTextBrowser
{
    Q_OBJECT

public:
    explicit HelpBrowser(QWidget *parent);

    /// Selects the next place of `text` from the cursor on, or the first one of the page; false if
    /// there is none.
    bool findNext(const QString &text);

protected:
    void doSetSource(const QUrl &name, QTextDocument::ResourceType type) override;
    void changeEvent(QEvent *event) override;

private:
    void formatTables();
    void formatBlocks();
};

} // namespace ui
