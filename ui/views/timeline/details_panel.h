#pragma once

#include "ui/views/timeline/slice_details.h"

#include <QScrollArea>

#include <utility>
#include <vector>

class QPushButton;
class QVBoxLayout;

namespace ui {

/// Everything about the selected slice, with links to the slices it is tied to.
class DetailsPanel : public QScrollArea
{
    Q_OBJECT

public:
    explicit DetailsPanel(QWidget *parent = nullptr);

    void showDetails(const SliceDetails &details);
    /// Instead of details: what to do to get some, or what went wrong.
    void showText(const QString &text);

signals:
    void linkActivated(core::SliceId slice);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QVBoxLayout *startPage();
    void addTable(QVBoxLayout *page, const std::vector<std::pair<QString, QString>> &rows);
    void addCollective(QVBoxLayout *page, const SliceDetails &details);
    void addLinks(QVBoxLayout *page, const QString &title, const std::vector<SliceLink> &links);
    void addText(QVBoxLayout *page, const QString &text);
    void addHeading(QVBoxLayout *page, const QString &text);
    QWidget *makeLink(const QString &text, core::SliceId slice, QWidget *parent);
    /// Shows of `text` what the panel has room for.
    void elide(QPushButton &link, const QString &text) const;

    std::vector<std::pair<QPushButton *, QString>> m_links; ///< of the page, with their texts
};

} // namespace ui
