#include "core/project/skipped_records.h"

#include <QTest>

using namespace core;

namespace {

/// "bad-time 3 @12, ...": code, count and place of each.
QString printed(const std::vector<SkippedRecords> &all)
{
    QStringList list;
    for (const SkippedRecords &skipped : all)
        list << QString::fromStdString(
            skipped.code + " " + std::to_string(skipped.count)
            + (skipped.firstOffset ? " @" + std::to_string(*skipped.firstOffset) : ""));
    return list.join(QStringLiteral(", "));
}

} // namespace

class SkippedRecordsTest : public QObject
{
    Q_OBJECT

private slots:
    void onlyRecordsThatWereLeftOutAreCounted();
    void aFileThatEndsBetweenRecordsLosesNone();
    void ofARefusedFileAllAreSkipped();
};

void SkippedRecordsTest::onlyRecordsThatWereLeftOutAreCounted()
{
    ProjectInfo info;
    info.diagnostics = { { "bad-time", Severity::Error, 3, "a.json", 12, "" },
                         { "end-without-begin", Severity::Warning, 2, "a.json", {}, "" },
                         { "stated-rank", Severity::Warning, 1, "a.json", {}, "" },
                         { "no-time", Severity::Warning, 4, "a.json", {}, "" },
                         { "impossible-record-time", Severity::Warning, 6, "a.json", {}, "" },
                         // Of another file, later, by the same name:
                         { "duplicate-rank", Severity::Error, 1, "a.json", {}, "" },
                         { "too-deep", Severity::Info, 9, "a.json", {}, "" },
                         { "bad-time", Severity::Error, 5, "b.json", {}, "" } };
    QCOMPARE(printed(skippedRecords(info, { "a.json", "kineto" })),
             QStringLiteral("bad-time 3 @12, end-without-begin 2, no-time 4, "
                            "impossible-record-time 6"));
}

void SkippedRecordsTest::aFileThatEndsBetweenRecordsLosesNone()
{
    const auto skippedOf = [](const char *message) {
        ProjectInfo info;
        info.diagnostics = { { "truncated-file", Severity::Warning, 1, "a.json", 9, message } };
        return printed(skippedRecords(info, { "a.json", "kineto" }));
    };
    QCOMPARE(skippedOf("the list is not closed. Everything that is in the file was read"),
             QString());
    QCOMPARE(skippedOf("ends inside a record, which was left out. Everything before was read"),
             QStringLiteral("truncated-file 1 @9"));
}

void SkippedRecordsTest::ofARefusedFileAllAreSkipped()
{
    ProjectInfo info;
    info.diagnostics = { { "duplicate-rank", Severity::Error, 1, "a.json", {}, "Twice." } };
    SourceFile file { "a.json", "kineto", 10, FileStatus::Skipped, "Twice." };
    QCOMPARE(printed(skippedRecords(info, file)), QString());
    file.eventsByCategory = { { "kernel", 4 }, { "cpu_op", 3 } };
    QCOMPARE(printed(skippedRecords(info, file)), QStringLiteral(" 7"));
    QCOMPARE(skippedRecords(info, file).front().reason, std::string("Twice."));
}

QTEST_GUILESS_MAIN(SkippedRecordsTest)
#include "tst_skipped_records.moc"
