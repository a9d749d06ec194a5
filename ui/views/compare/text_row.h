#pragma once

#include "core/change/change_traits.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <string>

class QCheckBox;
class QLabel;
class QLineEdit;

namespace ui {

/// A what-if setting that is a text: a box that says whether it applies, and the text.
class TextRow : public QWidget
{
    Q_OBJECT

public:
    TextRow(const core::ChangeTraits &traits, QWidget *parent);

    std::optional<std::string> value() const; ///< empty: as measured
    void setValue(const std::optional<std::string> &value); ///< without a signal
    /// The recorded value, with which the row then begins. Empty: not known.
    void setRecorded(const std::optional<std::string> &recorded);

signals:
    void valueChanged();

private:
    QCheckBox *m_box;
    QLineEdit *m_text;
    QString m_hint;
    QLabel *m_note;
};

} // namespace ui
