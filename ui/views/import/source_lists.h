#pragma once

#include "ui/models/input_summary.h"
#include "ui/models/severity_icons.h"

#include <QWidget>

#include <memory>

class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace ui {

class ReportTable;
class SourceFilesModel;
class SourceRanksModel;

/// What was read, as two lists under one heading: by file and by rank.
class SourceLists : public QWidget
{
    Q_OBJECT

public:
    explicit SourceLists(QWidget *parent);

    void setSnapshot(const std::shared_ptr<const InputSummary> &snapshot);
    void setIcons(const SeverityIcons &icons, const QIcon &readWell);

    ReportTable &files() const { return *m_files; }
    ReportTable &ranks() const { return *m_ranks; }
    ReportTable &shown() const; ///< one of the two
    void showFiles();
    void showRanks();
    const InputFile *selectedFile() const; ///< null: none
    const InputRank *selectedRank() const; ///< null: none
    void clearSelection();

private:
    QWidget *createHeading();
    QToolButton *addChoice(QHBoxLayout &row, void (SourceLists::*onClick)());
    void setUpFiles();
    void setUpRanks();

    SourceFilesModel *m_filesModel;
    SourceRanksModel *m_ranksModel;
    ReportTable *m_files;
    ReportTable *m_ranks;
    QStackedWidget *m_pages;
    QToolButton *m_filesButton = nullptr;
    QToolButton *m_ranksButton = nullptr;
};

} // namespace ui
