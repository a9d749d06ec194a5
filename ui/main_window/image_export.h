#pragma once

#include "ui/jobs/job.h"
#include "ui/main_window/image_dialog.h"
#include "ui/main_window/picture_file.h"

#include <QObject>
#include <QString>

class QWidget;

namespace ui {

/// A caption in one line: the project, what is shown of it, and how far it can be believed.
struct ImageCaption
{
    QString project, facts, trust; ///< each may be empty
};

/// The timelines of a view; none where it shows others than timelines.
std::vector<PicturedTimeline> timelinesOf(QWidget &view);

/// The view's timelines as they are wished for; the whole view where it has none.
Picture pictureOf(QWidget &view, ImageWish wish, const ImageCaption &caption);

/// Writes pictures of views, PNG in a worker thread.
class ImageExport : public QObject
{
    Q_OBJECT

public:
    explicit ImageExport(QObject *parent);

    /// To a file whose name ends in .png, .svg or .pdf.
    void write(const Picture &picture, double scale, const QString &file);

signals:
    void written(const QString &file);
    void failed(const QString &message);

private:
    Job<QString> m_job; ///< the file that was written; declared last
};

} // namespace ui
