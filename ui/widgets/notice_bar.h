#pragma once

#include <QFrame>

#include <functional>

class QLabel;
class QPushButton;
class QToolButton;

namespace ui {

/// One line under the tabs that says something happened, with at most one link and a close button.
/// Never modal, gone with Esc or a click.
class NoticeBar : public QFrame
{
    Q_OBJECT

public:
    explicit NoticeBar(QWidget *parent);

    void showNotice(const QString &text, const QString &linkText = {},
                    std::function<void()> onLink = {});
    QString text() const;

protected:
    void changeEvent(QEvent *event) override;

private:
    void updateIcons();

    QLabel *m_icon = nullptr;
    QLabel *m_text = nullptr;
    QPushButton *m_link = nullptr;
    QToolButton *m_close = nullptr;
    std::function<void()> m_onLink;
};

} // namespace ui
