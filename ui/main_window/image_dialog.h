#pragma once

#include "ui/timeline/export/timeline_picture.h"

#include <QDialog>

#include <functional>
#include <optional>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSettings;

namespace ui {

/// What the user wants in a picture.
struct ImageWish
{
    PictureChoice choice; ///< without its caption
    double scale = 2; ///< of an image
};

/// Groups named by "0-3, 7": those whose name ends in one of the numbers; by whole names, too, and
/// empty text for all. Empty where something names none of `groups`.
std::optional<std::vector<QString>> chosenGroups(const QString &text,
                                                 const std::vector<QString> &groups);

/// Asks for ranks, time, colours and scale of a picture of timelines; of any other view, of which
/// there are none, for colours and scale. Remembers colours and scale.
class ImageDialog : public QDialog
{
    Q_OBJECT

public:
    /// `settings`: outlives it. `theme`: of the window. The timelines live as long.
    ImageDialog(std::vector<PicturedTimeline> timelines, const Theme &theme, QSettings &settings,
                QWidget *parent);

    ImageWish wish() const;

protected:
    void accept() override;

private:
    void addTimes();
    void updateState();

    std::vector<PicturedTimeline> m_timelines;
    Theme m_theme;
    QSettings &m_settings;
    std::vector<QString> m_groups;
    std::vector<core::TimeRange> m_times; ///< by row of m_time, counted from the origin
    QLineEdit *m_ranks = nullptr; ///< null: no timelines
    QComboBox *m_time = nullptr; ///< the same
    QComboBox *m_colours = nullptr;
    QDoubleSpinBox *m_scale = nullptr;
    QLabel *m_note = nullptr;
    QPushButton *m_save = nullptr;
};

} // namespace ui
