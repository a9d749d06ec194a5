#pragma once

#include "ui/main_window/recent_projects.h"

#include <QPushButton>

namespace ui {

/// One recent project: name and folder at the left, what it holds and when at the right.
class RecentRow : public QPushButton
{
    Q_OBJECT

public:
    RecentRow(const RecentProject &project, QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString name() const;
    QString folder() const;
    QString facts() const;
    QString date() const;

    RecentProject m_project;
};

} // namespace ui
