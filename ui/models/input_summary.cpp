#include "ui/models/input_summary.h"

#include "core/base/median_ns.h"
#include "core/model/step_marks.h"
#include "core/project/write/skipped_records.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <map>

namespace ui {

namespace {

    struct InputSummaryText
    {
        Q_DECLARE_TR_FUNCTIONS(InputSummary)
    };

    /// Status of a file that the project does not list: it was given up, or was no trace.
    core::FileStatus statusAfter(core::Severity worst)
    {
        return worst == core::Severity::Error ? core::FileStatus::Failed
                                              : core::FileStatus::Skipped;
    }

    std::string folderOf(const std::string &file)
    {
        const std::size_t slash = file.rfind('/');
        return slash == std::string::npos ? std::string() : file.substr(0, slash + 1);
    }

    std::string commonFolderOf(const std::vector<InputFile> &files)
    {
        if (files.empty())
            return {};
        std::string common = folderOf(files.front().source.name);
        for (const InputFile &file : files) {
            const std::string folder = folderOf(file.source.name);
            const auto ends
                = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
            common = folderOf(std::string(common.begin(), ends.first));
        }
        return common;
    }

    std::vector<InputFile> listedFiles(const core::ProjectInfo &info)
    {
        std::vector<InputFile> files;
        for (const core::SourceFile &source : info.files) {
            InputFile file;
            file.source = source;
            for (const auto &[category, count] : source.eventsByCategory)
                file.recordCount += count;
            if (source.status == core::FileStatus::Failed)
                file.worst = core::Severity::Error;
            files.push_back(std::move(file));
        }
        return files;
    }

    void addDiagnostics(std::vector<InputFile> &files,
                        const std::vector<core::Diagnostic> &diagnostics)
    {
        std::map<std::string, std::size_t, std::less<>> places;
        for (std::size_t i = 0; i < files.size(); ++i)
            places.try_emplace(files[i].source.name, i);
        for (const core::Diagnostic &diagnostic : diagnostics) { // worst first
            if (diagnostic.file.empty())
                continue;
            const auto [place, isNew] = places.try_emplace(diagnostic.file, files.size());
            if (isNew) {
                InputFile file;
                file.source.name = diagnostic.file;
                file.source.status = statusAfter(diagnostic.severity);
                file.source.reason = diagnostic.message;
                files.push_back(std::move(file));
            }
            InputFile &file = files[place->second];
            file.worst = std::max(file.worst, diagnostic.severity);
            if (diagnostic.severity != core::Severity::Info)
                file.problemCount += diagnostic.count;
        }
    }

    /// What became of it.
    void describe(InputFile &file, const core::ProjectInfo &info)
    {
        file.isCut = core::isCut(info, file.source);
        if (file.isCut)
            file.cutAt = core::cutAt(info, file.source);
        file.status = QString::fromStdString(core::fileStatusText(info, file.source));
        file.status[0] = file.status[0].toUpper();
        file.reason = QString::fromStdString(core::fileReasonText(info, file.source));
    }

    void addFile(InputRank &rank, const InputFile &file)
    {
        const std::string &format = file.source.format;
        if (!format.empty() && std::count(rank.formats.begin(), rank.formats.end(), format) == 0)
            rank.formats.push_back(format);
        rank.problemCount += file.problemCount;
        rank.worst = std::max(rank.worst, file.worst);
    }

    std::vector<InputRank> ranksOf(const core::ProjectInfo &info,
                                   const std::vector<InputFile> &files)
    {
        std::map<std::string, const InputFile *, std::less<>> fileOf;
        for (const InputFile &file : files)
            fileOf.emplace(file.source.name, &file);
        std::vector<std::vector<std::int64_t>> durations(info.workers.size());
        const bool areKnown = core::hasKnownIterations(info.tracks, info.iterations);
        for (const core::Iteration &iteration : info.iterations)
            if (areKnown && iteration.isWhole)
                durations[iteration.worker.value].push_back(iteration.range.durationNs());
        std::vector<InputRank> ranks;
        for (const core::Worker &worker : info.workers) {
            InputRank rank;
            rank.rank = worker.rank;
            rank.host = worker.host;
            rank.files = worker.files;
            for (const auto &[category, count] : worker.eventsByCategory)
                rank.recordCount += count;
            rank.areIterationsKnown = areKnown || info.iterations.empty();
            rank.iterationCount = durations[worker.id.value].size();
            rank.medianIterationNs = core::medianNs(durations[worker.id.value]);
            for (const std::string &name : worker.files)
                if (const auto file = fileOf.find(name); file != fileOf.end())
                    addFile(rank, *file->second);
            ranks.push_back(std::move(rank));
        }
        std::stable_sort(ranks.begin(), ranks.end(),
                         [](const InputRank &a, const InputRank &b) { return a.rank < b.rank; });
        return ranks;
    }

    /// Problems of the job as a whole: missing ranks, for example.
    QString ofNoFileText(const InputSummary &summary)
    {
        const std::size_t count
            = summary.countOf(core::Severity::Warning) + summary.countOf(core::Severity::Error);
        return countText(count, InputSummaryText::tr("1 problem"),
                         InputSummaryText::tr("%1 problems"));
    }

    template <class Files, class Condition>
    std::size_t countIf(const Files &files, Condition condition)
    {
        return static_cast<std::size_t>(std::count_if(files.begin(), files.end(), condition));
    }

} // namespace

QString InputSummary::shownName(const std::string &file) const
{
    const bool isInside = file.size() > commonFolder.size() && file.starts_with(commonFolder);
    return QString::fromStdString(isInside ? file.substr(commonFolder.size()) : file);
}

QStringList InputSummary::shownNames() const
{
    QStringList names;
    for (const InputFile &file : files)
        names << file.shownName;
    return names;
}

const InputFile *InputSummary::find(const std::string &file) const
{
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const InputFile &one) { return one.source.name == file; });
    return found == files.end() ? nullptr : &*found;
}

std::size_t InputSummary::countOf(core::Severity severity) const
{
    return countIf(diagnostics,
                   [severity](const core::Diagnostic &d) { return d.severity == severity; });
}

core::Severity InputSummary::worst() const
{
    core::Severity worst
        = diagnostics.empty() ? core::Severity::Info : diagnostics.front().severity;
    for (const InputFile &file : files)
        worst = std::max(worst, file.worst);
    return worst;
}

InputSummary summarizeInput(const core::ProjectInfo &info)
{
    InputSummary summary;
    summary.diagnostics = info.diagnostics;
    std::stable_sort(summary.diagnostics.begin(), summary.diagnostics.end(),
                     [](const core::Diagnostic &a, const core::Diagnostic &b) {
                         return a.severity > b.severity;
                     });
    summary.files = listedFiles(info);
    addDiagnostics(summary.files, summary.diagnostics);
    summary.commonFolder = commonFolderOf(summary.files);
    for (InputFile &file : summary.files) {
        file.shownName = summary.shownName(file.source.name);
        describe(file, info);
    }
    summary.ranks = ranksOf(info, summary.files);
    summary.eventCount = info.eventsTotal;
    summary.readCount = countIf(summary.files, [](const InputFile &file) {
        return file.source.status == core::FileStatus::Read;
    });
    for (const InputFile &file : summary.files)
        if (file.isCut)
            ++summary.cutCount;
        else if (file.hasProblems())
            ++(file.source.status == core::FileStatus::Read ? summary.problemFileCount
                                                            : summary.refusedCount);
    return summary;
}

QString inputSentence(const InputSummary &summary)
{
    QStringList parts;
    parts << countText(summary.readCount, InputSummaryText::tr("1 file read"),
                       InputSummaryText::tr("%1 files read"));
    if (summary.cutCount > 0)
        parts << (summary.readCount == 1 ? InputSummaryText::tr("cut off")
                                         : InputSummaryText::tr("%1 of them cut off")
                                               .arg(formatCount(summary.cutCount)));
    if (summary.problemFileCount == 1 && summary.readCount == 1)
        parts << InputSummaryText::tr("with problems");
    else if (summary.problemFileCount > 0)
        parts
            << InputSummaryText::tr("%1 with problems").arg(formatCount(summary.problemFileCount));
    else if (summary.refusedCount + summary.cutCount == 0
             && summary.worst() != core::Severity::Info)
        parts << ofNoFileText(summary);
    if (summary.refusedCount > 0)
        parts << InputSummaryText::tr("%1 not imported").arg(formatCount(summary.refusedCount));
    const std::size_t leftOut = countIf(summary.files, [](const InputFile &file) {
        return file.source.status == core::FileStatus::Skipped && !file.hasProblems();
    });
    if (leftOut > 0)
        parts << InputSummaryText::tr("%1 left out").arg(formatCount(leftOut));
    return parts.join(QStringLiteral(", "));
}

QString problemName(const std::string &code)
{
    QString words = QString::fromStdString(code).replace(QLatin1Char('-'), QLatin1Char(' '));
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words;
}

QString severityTitle(core::Severity severity)
{
    switch (severity) {
    case core::Severity::Info:
        return InputSummaryText::tr("Note");
    case core::Severity::Warning:
        return InputSummaryText::tr("Warning");
    case core::Severity::Error:
        return InputSummaryText::tr("Error");
    }
    return {};
}

} // namespace ui
