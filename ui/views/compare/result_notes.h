#pragma once

#include <QWidget>

class QBoxLayout;

namespace core {
struct Prediction;
}

namespace ui {

class ElidedLabel;
class MemoryStrip;
class Session;

/// Lines below the figures of a result: the peak memory, and how far its overlap is from the
/// possible one.
class ResultNotes : public QWidget
{
    Q_OBJECT

public:
    explicit ResultNotes(QWidget *parent);

    MemoryStrip &memory() { return *m_memory; }
    /// `shown`: null where there is no result.
    void showScheduling(const Session &session, const core::Prediction *shown);
    void setSideBySide(bool isOn); ///< else one below the other

private:
    MemoryStrip *m_memory;
    ElidedLabel *m_scheduling;
    QBoxLayout *m_layout;
};

} // namespace ui
