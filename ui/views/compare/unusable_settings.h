#pragma once

#include <QString>
#include <QWidget>

#include <vector>

class QToolButton;

namespace ui {

/// A setting that the trace does not support.
struct UnusableSetting
{
    QString title;
    QString reason; ///< with the remedy

    friend bool operator==(const UnusableSetting &, const UnusableSetting &) = default;
};

/// "Not on this trace (5)": folded at first; unfolded it says of which settings, and each reason
/// once.
class UnusableSettings : public QWidget
{
    Q_OBJECT

public:
    explicit UnusableSettings(QWidget *parent);

    /// Hidden without any.
    void setSettings(const std::vector<UnusableSetting> &settings);
    void setUnfolded(bool isUnfolded);

private:
    std::vector<UnusableSetting> m_settings;
    QToolButton *m_head;
    QWidget *m_reasons = nullptr;
};

} // namespace ui
