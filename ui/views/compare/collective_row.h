#pragma once

#include "core/change/transfers/link_changes.h"

#include <QWidget>

#include <optional>

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace ui {

/// The algorithm of all-reduces: a box that says whether it applies, the algorithm, and the number
/// of servers where it has some.
class CollectiveRow : public QWidget
{
    Q_OBJECT

public:
    explicit CollectiveRow(QWidget *parent);

    std::optional<core::CollectiveChoice> value() const; ///< empty: as measured
    void setValue(const std::optional<core::CollectiveChoice> &value); ///< without a signal

signals:
    void valueChanged();

private:
    void showServers();

    QCheckBox *m_box;
    QComboBox *m_algorithm;
    QSpinBox *m_servers;
};

} // namespace ui
