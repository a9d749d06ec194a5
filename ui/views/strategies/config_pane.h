#pragma once

#include "core/change/change.h"
#include "ui/jobs/job.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <cstdint>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace ui {

class Session;

/// A config file as it is shown before it is written.
struct ConfigPreview
{
    QString target, fileName, text;
    QStringList remarks; ///< what the target cannot say, or says in another way
    std::int64_t predictedNs = 0, unchangedNs = 0;
};

/// A strategy as a config file for one of the targets: what it predicts, what it leaves out, its
/// text to copy and to save.
class ConfigPane : public QWidget
{
    Q_OBJECT

public:
    ConfigPane(Session &session, QWidget *parent);

    /// Written once the pane is shown.
    void setStrategy(const core::Strategy &strategy);
    void clear();
    void setShown(bool shown);
    bool isBusy() const { return m_job.isRunning(); }
    QString text() const;

public slots:
    void copy();
    void save();

private:
    void refresh();
    void showPreview(const ConfigPreview &preview);
    void showProblem(const QString &message);

    Session &m_session;
    core::Strategy m_strategy;
    ConfigPreview m_preview;
    bool m_isShown = false, m_isStale = false;
    bool m_isChosen = false; ///< the target, by the user
    QComboBox *m_target;
    QPushButton *m_copy;
    QPushButton *m_save;
    QLabel *m_prediction;
    QLabel *m_remarks;
    QLabel *m_done; ///< "Copied."
    QPlainTextEdit *m_text;
    Job<ConfigPreview> m_job; // last: it dies first
};

} // namespace ui
