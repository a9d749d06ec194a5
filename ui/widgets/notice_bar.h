#pragma once

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace ui {

struct NoticeLink
{
    QString text;
    std::function<void()> onClick;
};

/// One line under the tabs that says something happened, with what can be done and a close button.
/// Never modal, gone with Esc or a click.
class NoticeBar : public QFrame
{
    Q_OBJECT

public:
    explicit NoticeBar(QWidget *parent);

    void showNotice(const QString &text, const std::vector<NoticeLink> &links = {});
    QString text() const;

protected:
    void changeEvent(QEvent *event) override;

private:
    void updateIcons();

    QLabel *m_icon = nullptr;
    QLabel *m_text = nullptr;
    QHBoxLayout *m_links = nullptr;
    QToolButton *m_close = nullptr;
};

} // namespace ui
