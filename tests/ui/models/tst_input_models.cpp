#include "ui/models/diagnostics_filter.h"
#include "ui/models/diagnostics_model.h"
#include "ui/models/source_files_model.h"
#include "ui/models/source_ranks_model.h"
#include "ui/widgets/format.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

namespace {

core::Diagnostic diagnosticOf(core::Severity severity, const std::string &file,
                              std::optional<std::uint64_t> offset)
{
    return { "truncated-file", severity, 1, file, offset, "the file ends early" };
}

std::shared_ptr<const InputSummary> threeFiles()
{
    core::ProjectInfo info;
    for (const int rank : { 0, 1, 2 }) {
        core::SourceFile file;
        file.name = "run/rank" + std::to_string(rank) + ".json";
        file.format = "kineto";
        file.storedBytes = std::uint64_t { 1024 } << rank;
        file.ranks = { rank };
        info.files.push_back(file);
    }
    info.diagnostics = { diagnosticOf(core::Severity::Warning, "run/rank1.json", 4096),
                         diagnosticOf(core::Severity::Error, "run/rank2.json", std::nullopt),
                         diagnosticOf(core::Severity::Info, "run/rank0.json", 12345) };
    return std::make_shared<const InputSummary>(summarizeInput(info));
}

QStringList column(const QAbstractItemModel &model, int number)
{
    QStringList cells;
    for (int row = 0; row < model.rowCount(); ++row)
        cells << model.index(row, number).data().toString();
    return cells;
}

} // namespace

/// The two tables of the import report.
class TestInputModels : public QObject
{
    Q_OBJECT

private slots:
    void areProperModels();
    void aDiagnosticShowsWhereItHappened();
    void filesOfWhichTheSameIsSaidShareARow();
    void aPlaceInACompressedFileIsToldAsSuch();
    void diagnosticsAreFilteredByTextAndSeverity();
    void diagnosticsAreSortedByValue();
    void aFileShowsWhatWasReadOfIt();
    void ranksAreSortedByNumberWithAllTheirFiles();
    void bothTablesMarkTheirRowsAndAlignNumbersRight();
    void runsOfRanksAreShortened_data();
    void runsOfRanksAreShortened();
};

void TestInputModels::areProperModels()
{
    DiagnosticsModel diagnostics(nullptr);
    SourceFilesModel files(nullptr);
    const auto report = QAbstractItemModelTester::FailureReportingMode::QtTest;
    QAbstractItemModelTester first(&diagnostics, report);
    QAbstractItemModelTester second(&files, report);
    QCOMPARE(diagnostics.rowCount() + files.rowCount(), 0);
    diagnostics.setSnapshot(threeFiles());
    files.setSnapshot(threeFiles());
    QCOMPARE(diagnostics.rowCount(), 3);
    QCOMPARE(files.rowCount(), 3);
}

void TestInputModels::aDiagnosticShowsWhereItHappened()
{
    DiagnosticsModel model(nullptr);
    model.setSnapshot(threeFiles());
    QCOMPARE(column(model, DiagnosticsModel::SeverityColumn),
             QStringList(
                 { QStringLiteral("Error"), QStringLiteral("Warning"), QStringLiteral("Note") }));
    QCOMPARE(model.index(1, DiagnosticsModel::FileColumn).data().toString(),
             QStringLiteral("rank1.json"));
    QCOMPARE(model.index(1, DiagnosticsModel::FileColumn).data(Qt::ToolTipRole).toString(),
             toolTipParagraphs(QStringLiteral("run/rank1.json")));
    QCOMPARE(model.index(0, DiagnosticsModel::OffsetColumn).data().toString(), QString());
    QCOMPARE(model.index(1, DiagnosticsModel::ProblemColumn).data().toString(),
             QStringLiteral("Truncated file"));
}

/// A note of eight ranks' files was eight rows.
void TestInputModels::filesOfWhichTheSameIsSaidShareARow()
{
    core::ProjectInfo info;
    for (const char *name : { "run/a.json", "run/b.json", "run/c.json" })
        info.diagnostics.push_back(diagnosticOf(core::Severity::Info, name, 512));
    info.diagnostics.push_back(diagnosticOf(core::Severity::Info, "", {}));
    DiagnosticsModel model(nullptr);
    QAbstractItemModelTester tester(&model);
    model.setSnapshot(std::make_shared<const InputSummary>(summarizeInput(info)));
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.countOf(core::Severity::Info), std::size_t { 2 });
    const QStringList files = column(model, DiagnosticsModel::FileColumn);
    QVERIFY2(files.contains(QStringLiteral("3 files, first a.json")), qPrintable(files.join(u'|')));
    const int row = int(files.indexOf(QStringLiteral("3 files, first a.json")));
    QCOMPARE(model.index(row, DiagnosticsModel::OffsetColumn).data().toString(), QString());
    QVERIFY(!model.hasPlaces());
    QVERIFY(model.index(row, DiagnosticsModel::FileColumn)
                .data(DiagnosticsModel::FullTextRole)
                .toString()
                .endsWith(QStringLiteral("run/c.json"))); // the filter finds each
}

/// Who looks at that byte of the .gz finds something else.
void TestInputModels::aPlaceInACompressedFileIsToldAsSuch()
{
    core::ProjectInfo info;
    for (const char *name : { "a.json.gz", "b.json", "run.zip/c.json" })
        info.diagnostics.push_back(diagnosticOf(core::Severity::Error, name, 512));
    DiagnosticsModel model(nullptr);
    model.setSnapshot(std::make_shared<const InputSummary>(summarizeInput(info)));
    QCOMPARE(column(model, DiagnosticsModel::OffsetColumn),
             QStringList({ QStringLiteral("512 (uncompressed)"), QStringLiteral("512"),
                           QStringLiteral("512 (uncompressed)") }));
}

void TestInputModels::diagnosticsAreFilteredByTextAndSeverity()
{
    DiagnosticsModel model(nullptr);
    model.setSnapshot(threeFiles());
    DiagnosticsFilter filter(nullptr);
    filter.setSourceModel(&model);
    QCOMPARE(filter.rowCount(), 3);
    filter.setText(QStringLiteral("EARLY rank1"));
    QCOMPARE(column(filter, DiagnosticsModel::FileColumn),
             QStringList { QStringLiteral("rank1.json") });
    filter.setSeverityShown(core::Severity::Warning, false);
    QCOMPARE(filter.rowCount(), 0);
    filter.setText({});
    QCOMPARE(filter.rowCount(), 2);
}

void TestInputModels::diagnosticsAreSortedByValue()
{
    DiagnosticsModel model(nullptr);
    model.setSnapshot(threeFiles());
    DiagnosticsFilter filter(nullptr);
    filter.setSourceModel(&model);
    filter.sort(DiagnosticsModel::OffsetColumn, Qt::DescendingOrder);
    QCOMPARE(column(filter, DiagnosticsModel::FileColumn),
             QStringList({ QStringLiteral("rank0.json"), QStringLiteral("rank1.json"),
                           QStringLiteral("rank2.json") }));
    filter.sort(DiagnosticsModel::SeverityColumn, Qt::DescendingOrder);
    QCOMPARE(column(filter, DiagnosticsModel::SeverityColumn).front(), QStringLiteral("Error"));
}

void TestInputModels::aFileShowsWhatWasReadOfIt()
{
    SourceFilesModel model(nullptr);
    model.setSnapshot(threeFiles());
    const auto cell = [&model](int number) {
        return model.index(2, number).data().toString().replace(QChar(0x202F), QLatin1Char(' '));
    };
    QCOMPARE(cell(SourceFilesModel::StatusColumn), QStringLiteral("Cut off"));
    QCOMPARE(cell(SourceFilesModel::ReasonColumn), QStringLiteral("The rest is missing."));
    QCOMPARE(cell(SourceFilesModel::NameColumn), QStringLiteral("rank2.json"));
    QCOMPARE(cell(SourceFilesModel::FormatColumn), QStringLiteral("kineto"));
    QCOMPARE(cell(SourceFilesModel::RanksColumn), QStringLiteral("2"));
    QCOMPARE(cell(SourceFilesModel::SizeColumn), QStringLiteral("4.000 KiB"));
    QCOMPARE(cell(SourceFilesModel::ProblemsColumn), QStringLiteral("1"));
    QVERIFY(
        model.index(2, SourceFilesModel::StatusColumn).data(SourceFilesModel::SortRole).toInt()
        > model.index(0, SourceFilesModel::StatusColumn).data(SourceFilesModel::SortRole).toInt());
}

/// A rank of two traces was once shown with the first of them only, and rank 10 before rank 2.
void TestInputModels::ranksAreSortedByNumberWithAllTheirFiles()
{
    core::ProjectInfo info;
    for (const int rank : { 10, 2 }) {
        core::Worker worker;
        worker.id = core::WorkerId(static_cast<std::uint32_t>(info.workers.size()));
        worker.rank = rank;
        worker.files = { "run/k" + std::to_string(rank) + ".json" };
        worker.eventsByCategory = { { "kernel", 7 }, { "cpu_op", 5 } };
        info.workers.push_back(worker);
    }
    info.workers[1].files.push_back("run/et2.json");
    for (const char *name : { "run/k2.json", "run/et2.json", "run/k10.json" }) {
        core::SourceFile file;
        file.name = name;
        file.format = std::string(name).find("et") != std::string::npos ? "pytorch-et" : "kineto";
        info.files.push_back(file);
    }
    info.iterations = { { core::WorkerId(1), 0, { 0, 30 } }, { core::WorkerId(1), 1, { 30, 70 } } };
    info.diagnostics = { diagnosticOf(core::Severity::Warning, "run/et2.json", 1) };

    SourceRanksModel model(nullptr);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setSnapshot(std::make_shared<const InputSummary>(summarizeInput(info)));
    QCOMPARE(column(model, SourceRanksModel::RankColumn),
             QStringList({ QStringLiteral("Rank 2"), QStringLiteral("Rank 10") }));
    QCOMPARE(column(model, SourceRanksModel::FilesColumn),
             QStringList({ QStringLiteral("2 files"), QStringLiteral("k10.json") }));
    const QModelIndex files = model.index(0, SourceRanksModel::FilesColumn);
    QCOMPARE(files.data(Qt::ToolTipRole).toString(),
             toolTipParagraphs(QStringLiteral("run/k2.json\nrun/et2.json")));
    QCOMPARE(column(model, SourceRanksModel::FormatColumn)[0],
             QStringLiteral("kineto, pytorch-et"));
    QCOMPARE(model.rank(0).recordCount, std::uint64_t(12));
    QCOMPARE(model.rank(0).iterationCount, std::size_t(2));
    QCOMPARE(model.rank(0).medianIterationNs, std::int64_t(35));
    QCOMPARE(model.rank(0).problemCount, std::uint64_t(1));

    // A recording in which nothing tells iterations apart was "1" iteration.
    core::Track track;
    track.worker = core::WorkerId(1);
    track.sliceCount = 1;
    track.range = { 0, 70 };
    info.tracks = { track };
    info.iterations = { { core::WorkerId(1), 0, { 0, 70 } } };
    model.setSnapshot(std::make_shared<const InputSummary>(summarizeInput(info)));
    QCOMPARE(column(model, SourceRanksModel::IterationsColumn)[0], QStringLiteral("not known"));
    QCOMPARE(column(model, SourceRanksModel::MedianColumn)[0], QString());
    QCOMPARE(model.index(1, SourceRanksModel::RankColumn).data(SourceRanksModel::SortRole).toInt(),
             10);
}

void TestInputModels::bothTablesMarkTheirRowsAndAlignNumbersRight()
{
    SourceFilesModel files(nullptr);
    SourceRanksModel ranks(nullptr);
    auto summary = std::make_shared<InputSummary>(*threeFiles());
    summary->ranks.resize(2);
    const auto isRight
        = [](const QVariant &alignment) { return (alignment.toInt() & Qt::AlignRight) != 0; };
    for (SourceTableModel *model :
         { static_cast<SourceTableModel *>(&files), static_cast<SourceTableModel *>(&ranks) }) {
        model->setSnapshot(summary);
        QSignalSpy changed(model, &QAbstractItemModel::dataChanged);
        model->setIcons({}, {});
        QCOMPARE(changed.count(), 1);
        const int last = model->columnCount() - 1;
        QVERIFY(model->index(0, 0).data(Qt::DecorationRole).isValid());
        QVERIFY(!model->index(0, last).data(Qt::DecorationRole).isValid());
        QVERIFY(!isRight(model->index(0, 0).data(Qt::TextAlignmentRole)));
        QVERIFY(isRight(model->index(0, last).data(Qt::TextAlignmentRole)));
        QVERIFY(isRight(model->headerData(last, Qt::Horizontal, Qt::TextAlignmentRole)));
        QCOMPARE(model->headerData(last, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("Problems"));
    }
}

void TestInputModels::runsOfRanksAreShortened_data()
{
    QTest::addColumn<std::vector<int>>("ranks");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << std::vector<int> {} << QString();
    QTest::newRow("one") << std::vector { 3 } << QStringLiteral("3");
    QTest::newRow("two") << std::vector { 3, 4 } << QStringLiteral("3, 4");
    QTest::newRow("run") << std::vector { 2, 0, 1, 7 } << QStringLiteral("0\u20132, 7");
}

void TestInputModels::runsOfRanksAreShortened()
{
    QFETCH(std::vector<int>, ranks);
    QFETCH(QString, text);
    QCOMPARE(rankList(ranks), text);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestInputModels)
#include "tst_input_models.moc"
