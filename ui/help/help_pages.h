#pragma once

#include <QList>
#include <QString>
#include <QUrl>

namespace ui {

/// One page of the help: a Markdown file that is compiled in.
struct HelpPage
{
    QString id; ///< "what-ifs"
    QUrl source; ///< "qrc:/resources/help/what-ifs.md"
    QString title; ///< its first heading
};

/// All pages in the order in which they are listed; the start page ("index") first.
QList<HelpPage> helpPages();

/// Id of the page about a workspace of the window: "what-ifs" for "compare"; "index" for one
/// without a page of its own.
QString helpPageOf(const QString &workspaceId);

} // namespace ui
