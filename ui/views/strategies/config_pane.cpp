#include "ui/views/strategies/config_pane.h"

#include "core/base/error.h"
#include "core/export/config_target.h"
#include "core/export/exported_config.h"
#include "ui/session/analysis_work.h"
#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace ui {

namespace {

    QString plain(std::string_view text)
    {
        return QString::fromUtf8(text.data(), qsizetype(text.size()));
    }

    /// The target of that name; without one the first that can say something of the strategy.
    /// Throws Error where there is none.
    const core::ConfigTarget &targetFor(const std::string &name, const core::Strategy &strategy,
                                        const core::MeasuredJob &job)
    {
        if (const core::ConfigTarget *const named = core::configTargetNamed(name))
            return *named;
        const auto able = core::targetsFor(strategy, job);
        if (able.empty())
            throw core::Error(core::noTargetText(strategy));
        return *able.front();
    }

    /// Worker thread.
    ConfigPreview previewOf(const Loaded &loaded,
                            const std::shared_ptr<const core::Predictor> &known,
                            const core::Strategy &strategy, const std::string &targetName,
                            const core::JobControl &control)
    {
        core::Predictor predictor = predictorFor(loaded, known, control.part(0, 0));
        const core::ConfigTarget &target = targetFor(targetName, strategy, predictor.job());
        const core::ExportedConfig exported
            = core::exportConfig(target, strategy, predictor, control);
        ConfigPreview preview;
        preview.target = plain(target.name());
        preview.fileName = plain(target.fileName());
        preview.text = QString::fromStdString(exported.file.text);
        for (const std::string &note : exported.notes)
            preview.remarks << QString::fromStdString(note);
        for (const std::string &line : exported.file.leftOut)
            preview.remarks << ConfigPane::tr("Left out: %1").arg(QString::fromStdString(line));
        for (const std::string &note : exported.file.notes)
            preview.remarks << QString::fromStdString(note);
        preview.predictedNs = exported.prediction.predictedNs;
        preview.unchangedNs = exported.environmentNs;
        return preview;
    }

} // namespace

ConfigPane::ConfigPane(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_target(new QComboBox(this))
    , m_copy(createPrimaryButton(tr("Copy"), this))
    , m_save(new QPushButton(tr("Save as\u2026"), this))
    , m_prediction(createLabel({}, TextRole::Normal, this))
    , m_remarks(createLabel({}, TextRole::Secondary, this))
    , m_done(createLabel({}, TextRole::Secondary, this))
    , m_text(new QPlainTextEdit(this))
{
    for (const auto &target : core::configTargets())
        m_target->addItem(tr("%1: %2").arg(plain(target->name()), plain(target->meaning())),
                          plain(target->name()));
    m_target->setAccessibleName(tr("Who takes the file"));
    m_text->setReadOnly(true);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setAccessibleName(tr("Config file"));
    m_remarks->setWordWrap(true);
    auto *row = new QHBoxLayout;
    row->setSpacing(space::small);
    row->addWidget(m_target);
    row->addWidget(m_copy);
    row->addWidget(m_save);
    row->addWidget(m_done);
    row->addStretch(1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::small, 0, 0);
    column->setSpacing(space::small);
    column->addLayout(row);
    column->addWidget(m_prediction);
    column->addWidget(m_remarks);
    column->addWidget(m_text, 100); // all the room while there is a text
    column->addStretch(1);
    connect(m_target, &QComboBox::activated, this, [this] {
        m_isChosen = true;
        m_isStale = true;
        refresh();
    });
    connect(m_copy, &QPushButton::clicked, this, &ConfigPane::copy);
    connect(m_save, &QPushButton::clicked, this, &ConfigPane::save);
    clear();
}

QString ConfigPane::text() const
{
    return m_text->toPlainText();
}

void ConfigPane::clear()
{
    m_job.cancel();
    m_isStale = false;
    m_strategy = {};
    showProblem(tr("Choose a strategy to see it as a config file."));
}

void ConfigPane::setStrategy(const core::Strategy &strategy)
{
    m_job.cancel();
    m_strategy = strategy;
    m_isStale = true;
    showProblem({});
    refresh();
}

void ConfigPane::setShown(bool shown)
{
    m_isShown = shown;
    refresh();
}

void ConfigPane::refresh()
{
    if (!m_isShown || !m_isStale)
        return;
    m_isStale = false;
    if (m_strategy.isEmpty())
        return showProblem(tr("This strategy changes nothing: there is nothing to export."));
    showProblem(tr("Writing the file\u2026"));
    const std::string name
        = m_isChosen ? m_target->currentData().toString().toStdString() : std::string();
    m_job.start(
        [loaded = m_session.loaded(), predictor = m_session.predictor(), strategy = m_strategy,
         name](const core::JobControl &control) {
            return previewOf(loaded, predictor, strategy, name, control);
        },
        [this](const ConfigPreview &preview) { showPreview(preview); },
        [this](const QString &message) { showProblem(message); });
}

void ConfigPane::showPreview(const ConfigPreview &preview)
{
    m_preview = preview;
    const QSignalBlocker quiet(m_target);
    m_target->setCurrentIndex(m_target->findData(preview.target));
    m_prediction->setText(
        tr("Predicted with this file: %1 instead of %2.")
            .arg(formatDuration(preview.predictedNs), formatDuration(preview.unchangedNs)));
    m_remarks->setText(preview.remarks.join(u'\n'));
    m_remarks->setVisible(!preview.remarks.isEmpty());
    m_text->setPlainText(preview.text);
    m_text->setVisible(true);
    m_copy->setEnabled(true);
    m_save->setEnabled(true);
}

void ConfigPane::showProblem(const QString &message)
{
    m_preview = {};
    m_prediction->setText(message);
    m_prediction->setWordWrap(true);
    m_remarks->clear();
    m_remarks->hide();
    m_done->clear();
    m_text->clear();
    m_text->setVisible(false);
    m_copy->setEnabled(false);
    m_save->setEnabled(false);
}

void ConfigPane::copy()
{
    if (m_preview.text.isEmpty())
        return;
    QApplication::clipboard()->setText(m_preview.text);
    m_done->setText(tr("Copied."));
}

void ConfigPane::save()
{
    if (m_preview.text.isEmpty())
        return;
    const QString folder = QFileInfo(m_session.projectPath()).absolutePath();
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the config file"),
                                                      folder + u'/' + m_preview.fileName);
    if (path.isEmpty())
        return;
    QSaveFile file(path);
    const QByteArray bytes = m_preview.text.toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return m_done->setText(
            tr("%1 cannot be written: %2.").arg(QFileInfo(path).fileName(), file.errorString()));
    m_done->setText(tr("Saved as %1.").arg(QFileInfo(path).fileName()));
}

} // namespace ui
