#include "core/project/write/skipped_records.h"

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
    void whatIsLostIsSaidWhereItIsCounted();
    void ofARefusedFileAllAreSkipped();
    void theRestOfACutFileIsNotCounted();
};

void SkippedRecordsTest::onlyRecordsThatWereLeftOutAreCounted()
{
    ProjectInfo info;
    info.diagnostics = { { "bad-time", Severity::Error, 3, "a.json", 12, "" },
                         { "end-without-begin", Severity::Warning, 2, "a.json", {}, "", true },
                         { "stated-rank", Severity::Warning, 1, "a.json", {}, "" },
                         { "truncated-file", Severity::Warning, 1, "a.json", 9, "" },
                         // Of another file, later, by the same name:
                         { "duplicate-rank", Severity::Error, 1, "a.json", {}, "", false },
                         { "too-deep", Severity::Info, 9, "a.json", {}, "" },
                         { "bad-time", Severity::Error, 5, "b.json", {}, "" } };
    QCOMPARE(printed(skippedRecords(info, { "a.json", "kineto" })),
             QStringLiteral("bad-time 3 @12, end-without-begin 2"));
}

/// Which diagnostics lose records was told by lists of their codes and by words of their texts.
void SkippedRecordsTest::whatIsLostIsSaidWhereItIsCounted()
{
    Diagnostics diagnostics;
    diagnostics.count("kept", Severity::Warning, { "a.json", 1 }, "");
    diagnostics.count("bad", Severity::Error, { "a.json", 2 }, "");
    diagnostics.countLost("odd", Severity::Warning, { "a.json", 3 }, "");
    diagnostics.countLost("odd", Severity::Warning, { "a.json", 4 }, "");
    diagnostics.add({ "whole", Severity::Error, 1, "a.json", {}, "", false });
    ProjectInfo info;
    info.diagnostics = diagnostics.list();
    QCOMPARE(printed(skippedRecords(info, { "a.json", "kineto" })),
             QStringLiteral("bad 1 @2, odd 2 @3"));
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

/// A file whose compressed data end inside of a record told of two: of one for each message.
void SkippedRecordsTest::theRestOfACutFileIsNotCounted()
{
    const SourceFile file { "a.json.gz", "kineto" };
    ProjectInfo info;
    QVERIFY(!isCut(info, file));
    info.diagnostics
        = { { "truncated-file", Severity::Warning, 1, "a.json.gz", 9, "Only its end lacks." } };
    QVERIFY(!isCut(info, file));
    info.diagnostics.push_back(
        { "unreadable-rest", Severity::Error, 1, "a.json.gz", 9, "", /*losesRecords=*/false });
    QVERIFY(isCut(info, file));
    QCOMPARE(printed(skippedRecords(info, file)), QString());
    info.diagnostics = { { "truncated-file", Severity::Error, 1, "a.json.gz", 9, "" } };
    QVERIFY(isCut(info, file));
    QVERIFY(!isCut(info, { "b.json.gz", "kineto" }));
    QCOMPARE(fileReasonText(info, file),
             std::string("Read to byte 9 of the uncompressed data; the rest is missing."));
    QCOMPARE(printed(skippedRecords(info, file)), QStringLiteral("truncated-file 1 @9"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SkippedRecordsTest)
#include "tst_skipped_records.moc"
