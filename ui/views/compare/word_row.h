#pragma once

#include "core/change/change_traits.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <string>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace ui {

/// A what-if setting that is one of several words: a box that says whether it applies, the words,
/// and the number behind a word that has one ("ps:2").
class WordRow : public QWidget
{
    Q_OBJECT

public:
    WordRow(const core::ChangeTraits &traits, QWidget *parent);

    std::optional<std::string> value() const; ///< empty: as measured
    void setValue(const std::optional<std::string> &value); ///< without a signal
    /// The recorded value, with which the row then begins. Empty: not known.
    void setRecorded(const std::optional<std::string> &recorded);

signals:
    void valueChanged();

private:
    const core::ChangeWord &chosen() const;
    void choose(const std::string &value);
    void showCount();

    core::ChangeTraits m_traits;
    QCheckBox *m_box;
    QComboBox *m_words; ///< in the order of the traits
    QSpinBox *m_count;
    QString m_hint;
    QLabel *m_note;
};

} // namespace ui
