#pragma once

#include "core/optimize/search.h"

#include <QWidget>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace ui {

/// Families of strategies to switch on and off, limits of the search, and its buttons.
class PassPanel : public QWidget
{
    Q_OBJECT

public:
    explicit PassPanel(QWidget *parent);

    /// Those chosen, with the environment where it is wanted.
    core::SearchRequest request() const;
    /// Reasons by pass why it cannot be searched on this trace; the others can.
    void setObstacles(const std::map<std::string, std::string> &obstacles);
    /// The what-if that Compare shows; changes of gradients are what is searched. One that is
    /// ticked stays until it is empty.
    void setEnvironment(const core::Strategy &environment);
    /// Peak memory as measured; empty: it is not known, and `why`.
    void setMemory(std::optional<std::uint64_t> peakBytes, const QString &why);
    void setUsable(bool usable);
    void setRunning(bool isRunning, bool isPaused);

signals:
    void searchRequested();
    void pauseRequested(bool paused);
    void stopRequested();

private:
    struct Row
    {
        const core::Pass *pass;
        QCheckBox *box;
        QLabel *obstacle;
        bool isHindered = false;
    };

    QWidget *createRow(const core::Pass &pass);
    QWidget *createLimits();
    QWidget *createButtons();
    void updateButtons();

    std::vector<Row> m_rows;
    core::Strategy m_environment;
    QCheckBox *m_withEnvironment = nullptr;
    QLabel *m_environmentText = nullptr;
    QDoubleSpinBox *m_memory = nullptr; ///< GiB; 0: no limit
    QSpinBox *m_seconds = nullptr;
    QSpinBox *m_seed = nullptr;
    QPushButton *m_search = nullptr;
    QPushButton *m_pause = nullptr;
    QPushButton *m_stop = nullptr;
    bool m_isUsable = false, m_isRunning = false, m_isPaused = false;
};

} // namespace ui
