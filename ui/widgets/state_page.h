#pragma once

#include <QString>
#include <QWidget>

#include <functional>
#include <optional>

class QLabel;
class QProgressBar;
class QPushButton;

namespace ui {

/// A centred page for what is not there (yet): loading, empty, error. Says what happened and what
/// to do, with at most one button.
class StatePage : public QWidget
{
    Q_OBJECT

public:
    explicit StatePage(QWidget *parent);

    /// `iconName` of resources/icons; empty for none. `detail` is a second, smaller paragraph.
    void setState(const QString &iconName, const QString &title, const QString &text,
                  const QString &detail = {});
    /// 0..1; empty hides the bar; below 0 is "busy".
    void setProgress(std::optional<double> fraction);
    void setDetail(const QString &detail);
    void setAction(const QString &text, std::function<void()> action);
    void clearAction();

protected:
    void changeEvent(QEvent *event) override;

private:
    void updateIcon();

    QString m_iconName;
    QLabel *m_icon = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_text = nullptr;
    QProgressBar *m_progress = nullptr;
    QLabel *m_detail = nullptr;
    QPushButton *m_button = nullptr;
    std::function<void()> m_action;
};

} // namespace ui
