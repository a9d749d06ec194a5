#include "ui/views/import/input_details.h"

#include "core/base/byte_text.h"
#include "ui/models/source_files_model.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace ui {

namespace {

    constexpr std::size_t maxCategories = 40; ///< by count; the project has all of them

    struct InputDetailsText
    {
        Q_DECLARE_TR_FUNCTIONS(InputDetails)
    };

    void addFact(InputDetails &details, const QString &name, const QString &value)
    {
        if (!value.isEmpty())
            details.facts.emplace_back(name, value);
    }

    QString placeText(const std::string &file, std::uint64_t offset)
    {
        const QString number = formatCount(offset);
        return core::countsUncompressed(file)
            ? InputDetailsText::tr("%1 of the uncompressed data").arg(number)
            : number;
    }

    void addCategories(InputDetails &details,
                       const std::map<std::string, std::uint64_t> &countByCategory)
    {
        std::vector<std::pair<std::string, std::uint64_t>> counts(countByCategory.begin(),
                                                                  countByCategory.end());
        std::stable_sort(counts.begin(), counts.end(),
                         [](const auto &a, const auto &b) { return a.second > b.second; });
        const std::size_t shown = std::min(counts.size(), maxCategories);
        for (std::size_t i = 0; i < shown; ++i)
            addFact(details,
                    counts[i].first == "none" // the importers' word for it
                        ? InputDetailsText::tr("Records without a category")
                        : InputDetailsText::tr("Records \u201c%1\u201d")
                              .arg(QString::fromStdString(counts[i].first)),
                    formatCount(counts[i].second));
        if (shown < counts.size())
            addFact(details, InputDetailsText::tr("Other categories"),
                    formatCount(counts.size() - shown));
    }

    QString diagnosticLine(const core::Diagnostic &diagnostic)
    {
        const QString name = problemName(diagnostic.code);
        const QString message = unbrokenUnits(QString::fromStdString(diagnostic.message));
        if (diagnostic.count == 1)
            return InputDetailsText::tr("%1: %2").arg(name, message);
        return InputDetailsText::tr("%1 (%2 times): %3")
            .arg(name, formatCount(diagnostic.count), message);
    }

    QString fileMessage(const InputFile &file, const InputSummary &summary)
    {
        QStringList lines;
        if (!file.source.reason.empty())
            lines << QString::fromStdString(file.source.reason);
        for (const core::Diagnostic &diagnostic : summary.diagnostics) {
            const bool isReason = diagnostic.message == file.source.reason;
            if (diagnostic.file == file.source.name && !isReason)
                lines << diagnosticLine(diagnostic);
        }
        if (lines.isEmpty())
            lines << InputDetailsText::tr("Every record of this file was read.");
        return lines.join(QStringLiteral("\n\n"));
    }

    /// Further files of a rank may still be missing then.
    bool isUnfinished(const InputSummary &summary)
    {
        return std::any_of(
            summary.diagnostics.begin(), summary.diagnostics.end(),
            [](const core::Diagnostic &one) { return one.code == "unfinished-import"; });
    }

    QString rankMessage(const InputRank &rank, const InputSummary &summary)
    {
        QStringList lines;
        for (const core::Diagnostic &diagnostic : summary.diagnostics) {
            const bool isOwn = std::find(rank.files.begin(), rank.files.end(), diagnostic.file)
                != rank.files.end();
            if (isOwn)
                lines << summary.shownName(diagnostic.file) + QStringLiteral(": ")
                        + diagnosticLine(diagnostic);
        }
        if (lines.isEmpty())
            lines << (isUnfinished(summary)
                          ? InputDetailsText::tr(
                              "Every record of this rank's files that were read so far is here; "
                              "the import has not ended.")
                          : InputDetailsText::tr("Every record of this rank was read."));
        return lines.join(QStringLiteral("\n\n"));
    }

} // namespace

QString InputDetails::asText() const
{
    QStringList lines { title };
    if (!file.empty())
        lines << QString::fromStdString(file);
    if (!message.isEmpty())
        lines << message;
    for (const auto &[name, value] : facts)
        lines << QStringLiteral("%1: %2").arg(name, value);
    return lines.join(QLatin1Char('\n'));
}

InputDetails describeDiagnostic(const core::Diagnostic &diagnostic)
{
    InputDetails details;
    details.severity = diagnostic.severity;
    details.title = problemName(diagnostic.code);
    details.message = unbrokenUnits(QString::fromStdString(diagnostic.message));
    details.file = diagnostic.file;
    details.offset = diagnostic.firstOffset;
    addFact(details, InputDetailsText::tr("Severity"), severityTitle(diagnostic.severity));
    addFact(details, InputDetailsText::tr("Count"), formatCount(diagnostic.count));
    if (diagnostic.firstOffset)
        addFact(details, InputDetailsText::tr("First at byte"),
                placeText(diagnostic.file, *diagnostic.firstOffset));
    addFact(details, InputDetailsText::tr("Code"), QString::fromStdString(diagnostic.code));
    return details;
}

InputDetails describeFile(const InputFile &file, const InputSummary &summary)
{
    InputDetails details;
    details.severity = file.worst;
    details.isGood = !file.hasProblems() && file.source.status == core::FileStatus::Read;
    details.title = file.shownName;
    details.message = fileMessage(file, summary);
    details.file = file.source.name;
    addFact(details, InputDetailsText::tr("Status"), file.status);
    if (file.cutAt)
        addFact(details, InputDetailsText::tr("Read to byte"),
                placeText(file.source.name, *file.cutAt));
    addFact(details, InputDetailsText::tr("Format"), QString::fromStdString(file.source.format));
    addFact(details, InputDetailsText::tr("Ranks"), rankList(file.source.ranks));
    if (file.source.storedBytes > 0)
        addFact(details, InputDetailsText::tr("Size"), formatBytes(file.source.storedBytes));
    if (file.recordCount > 0)
        addFact(details, InputDetailsText::tr("Records"), formatCount(file.recordCount));
    addCategories(details, file.source.eventsByCategory);
    return details;
}

InputDetails describeRank(const InputRank &rank, const InputSummary &summary)
{
    InputDetails details;
    details.severity = rank.worst;
    details.isGood = rank.worst == core::Severity::Info;
    details.rank = rank.rank;
    details.title = InputDetailsText::tr("Rank %1").arg(rank.rank);
    details.message = rankMessage(rank, summary);
    addFact(details, InputDetailsText::tr("Host"), QString::fromStdString(rank.host));
    for (const std::string &file : rank.files)
        addFact(details, InputDetailsText::tr("File"), summary.shownName(file));
    addFact(details, InputDetailsText::tr("Records"), formatCount(rank.recordCount));
    addFact(details, InputDetailsText::tr("Iterations"),
            rank.areIterationsKnown ? formatCount(rank.iterationCount)
                                    : InputDetailsText::tr("not known"));
    if (rank.iterationCount > 0)
        addFact(details, InputDetailsText::tr("Median iteration"),
                formatDuration(rank.medianIterationNs));
    return details;
}

} // namespace ui
