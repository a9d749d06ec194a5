#include "ui/main_window/report_export.h"

#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/base/error.h"
#include "core/report/clock_text.h"
#include "core/report/made_report.h"
#include "core/report/report_file.h"
#include "ui/main_window/pdf_pages.h"
#include "ui/session/session.h"

#include <QFile>
#include <QSaveFile>

namespace ui {

namespace {

    /// Snapshots that a report is made of.
    struct ReportFacts
    {
        std::shared_ptr<const core::Trace> trace;
        std::shared_ptr<const core::Diagnosis> diagnosis;
        std::shared_ptr<const core::GainIntervals> gains; ///< null: not there yet
        std::shared_ptr<const core::Prediction> whatIf; ///< null: none is shown
        core::ReportWords words;
    };

    /// "bucket_cap_mb=5, comm_scale=2".
    std::string wordsOf(const core::Strategy &strategy)
    {
        std::string text;
        for (const auto &[key, value] : strategy.list())
            text += (text.empty() ? "" : ", ") + key + "=" + value;
        return text;
    }

    void writeHtml(const QString &file, const std::string &text)
    {
        QSaveFile out(file);
        if (!out.open(QIODevice::WriteOnly) || out.write(QByteArray::fromStdString(text)) < 0
            || !out.commit())
            throw core::Error("cannot write " + file.toStdString());
    }

    /// Worker thread.
    QString writeReport(const ReportFacts &facts, const QString &file,
                        const core::JobControl &control)
    {
        core::Diagnosis diagnosis = *facts.diagnosis;
        core::setGainIntervals(facts.gains ? *facts.gains
                                           : core::gainIntervals(diagnosis, control.part(0, 0.8)),
                               diagnosis);
        const auto pages = core::madeReport(*facts.trace, diagnosis, facts.words,
                                            facts.whatIf.get(), control.part(0.8, 1));
        if (!file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) {
            writeHtml(file, core::reportHtml(pages, facts.words.title));
            return file;
        }
        PdfPages document;
        for (const std::string &page : core::reportDocuments(pages))
            document.add(QByteArray::fromStdString(page), file);
        document.finish();
        return file;
    }

} // namespace

ReportExport::ReportExport(Session &session, QObject *parent)
    : QObject(parent)
    , m_session(session)
{
}

void ReportExport::write(const QString &file)
{
    ReportFacts facts {
        m_session.trace(), m_session.diagnosis(), m_session.gainIntervals(), {}, {}
    };
    m_session.requestAnalysis();
    if (facts.diagnosis == nullptr)
        return emit failed(
            tr("The analysis of the trace is not done yet. Try again when the status "
               "line shows that it is."));
    facts.words.title = m_session.projectName().toStdString();
    facts.words.clocks = core::clockSentence(m_session.reader().info());
    if (const auto shown = m_session.prediction(); shown != nullptr && shown->isJudged) {
        facts.whatIf = shown;
        facts.words.strategyName = wordsOf(shown->strategy);
    }
    m_job.start([facts, file](
                    const core::JobControl &control) { return writeReport(facts, file, control); },
                [this](const QString &done) { emit written(done); },
                [this](const QString &message) { emit failed(message); });
}

} // namespace ui
