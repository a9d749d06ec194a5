#pragma once

#include <QWidget>

#include <optional>

class QCheckBox;
class QLabel;
class QDoubleSpinBox;
class QSlider;

namespace ui {

/// One what-if setting: a box that says whether it applies, a number, and a slider.
class SettingRow : public QWidget
{
    Q_OBJECT

public:
    enum class Scale { Logarithmic, Linear };
    struct Range
    {
        double least, most; ///< of the slider; above 0 on a logarithmic scale
        double initial;
        int decimals;
        QString suffix; ///< unit, with its leading space
        Scale scale = Scale::Logarithmic;
        double unit = 1; ///< of what is shown, in the setting's: MiB of a setting in bytes
        std::optional<double> typedLeast = {}, typedMost = {}; ///< empty: the slider's
    };

    SettingRow(const QString &title, const QString &hint, const Range &range, QWidget *parent);

    std::optional<double> value() const; ///< in the setting's unit; empty: as measured
    /// Sets number and box without a signal; a value outside of the range widens it.
    void setValue(std::optional<double> value);
    void setRange(const Range &range); ///< the number is its initial one then
    /// What it is in the recording, after the hint ("recorded: 25 MiB"); empty: not known.
    void setRecorded(const QString &recorded);

signals:
    void valueChanged(); ///< the setting that applies is another one

private:
    void makeRoomFor(double shown); ///< never shows another number than the one that is used
    int positionOf(double value) const;
    double valueAt(int position) const;

    Scale m_scale = Scale::Logarithmic;
    double m_least = 0, m_most = 0; ///< of the slider
    double m_unit = 1;
    std::optional<double> m_given; ///< not what is shown, which is rounded; until that changes
    QCheckBox *m_box;
    QDoubleSpinBox *m_number;
    QSlider *m_slider;
    QString m_hint;
    QLabel *m_note;
};

} // namespace ui
