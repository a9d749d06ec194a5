#include "core/commands/input_files.h"

#include <QTest>

using namespace core;

class TestInputFiles : public QObject
{
    Q_OBJECT

private slots:
    /// Events that were left out counted as others do.
    void theHeadlineTellsWhatWasLeftOut()
    {
        ProjectInfo info;
        info.files = { { "a.json", "kineto", 10, FileStatus::Read },
                       { "b.json", "kineto", 10, FileStatus::Read },
                       { "c.json", "", 10, FileStatus::Skipped } };
        info.eventsTotal = 9;
        QCOMPARE(headline(info), std::string("9 events from 2 files"));
        info.diagnostics = { { "bad-duration", Severity::Error, 2, "a.json", {}, "", true },
                             { "bad-timestamp", Severity::Error, 3, "b.json", {}, "", true },
                             { "duplicate-rank", Severity::Error, 1, "c.json", {}, "", false } };
        QCOMPARE(headline(info), std::string("9 events from 2 files (5 were left out)"));
    }
};

QTEST_GUILESS_MAIN(TestInputFiles)
#include "tst_input_files.moc"
