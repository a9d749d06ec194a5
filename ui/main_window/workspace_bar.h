#pragma once

#include <QFrame>
#include <QString>

class QTabBar;

namespace ui {

class ElidedLabel;

/// The line under the menu: tabs of the workspaces at the left, what is opened at the right.
class WorkspaceBar : public QFrame
{
    Q_OBJECT

public:
    explicit WorkspaceBar(QWidget *parent);

    void addWorkspace(const QString &id, const QString &title);
    void setCurrent(const QString &id);
    QString current() const;
    void setCaption(const QString &name, const QString &facts);

signals:
    void currentChanged(const QString &id);

private:
    QTabBar *m_tabs = nullptr;
    ElidedLabel *m_name = nullptr;
    ElidedLabel *m_facts = nullptr;
};

} // namespace ui
