#pragma once

#include "ui/jobs/job.h"
#include "ui/models/input_summary.h"
#include "ui/views/import/byte_excerpt.h"
#include "ui/views/import/input_details.h"
#include "ui/views/import/reveal_target.h"
#include "ui/widgets/screenshot_states.h"

#include <QWidget>

#include <memory>
#include <optional>

class QAction;
class QLabel;

namespace ui {

class DetailsPane;
class ProblemList;
class Session;
class SourceLists;

/// The import report: the files of the opened project's input, what was skipped of them, where, and
/// what to do.
class ImportView : public QWidget, public ScreenshotStates
{
    Q_OBJECT

public:
    ImportView(Session &session, QWidget *parent);
    ~ImportView() override;

    QStringList screenshotStates() const override
    {
        return { QStringLiteral("file"), QStringLiteral("rank") };
    }
    void enterScreenshotState(const QString &state) override;
    bool isReadyForScreenshot() const override;

protected:
    void changeEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

private:
    QWidget *createHead();
    void createActions();
    QAction *addReportAction(const QString &text, const QString &tip, const QKeySequence &keys,
                             void (ImportView::*slot)());
    void connectTables();

    void onProjectChanged();
    void updateIcons();
    void showDiagnostic();
    void showFile();
    void showRank();
    void showDetails(const InputDetails &details);
    void findOnDisk();
    void readBytes();

    void revealInTimeline();
    void copyDetails();
    void openFolder();
    void openFilter();

    Session &m_session;
    QLabel *m_mark = nullptr;
    QLabel *m_sentence = nullptr;
    QLabel *m_facts = nullptr;
    ProblemList *m_problems = nullptr;
    SourceLists *m_sources = nullptr;
    DetailsPane *m_details = nullptr;
    QAction *m_reveal = nullptr;
    QAction *m_copy = nullptr;
    QAction *m_folder = nullptr;

    std::shared_ptr<const InputSummary> m_summary;
    std::optional<InputDetails> m_shown;
    std::optional<RevealTarget> m_target; ///< of m_shown
    std::optional<FilePlace> m_place; ///< of m_shown
    Job<std::optional<FilePlace>> m_placeJob;
    Job<ByteExcerpt> m_excerptJob; // the jobs last: they die first
};

} // namespace ui
