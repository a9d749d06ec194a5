#include "core/commands/text/diagnostic_lines.h"

#include <QTest>

using namespace core;

class DiagnosticLinesTest : public QObject
{
    Q_OBJECT

private slots:
    void aLineNamesFileAndPlace();
    void messagesAreSentences_data();
    void messagesAreSentences();
    void filesThatSayTheSameShareALine();
};

void DiagnosticLinesTest::aLineNamesFileAndPlace()
{
    const std::vector<Diagnostic> diagnostics {
        { "bad-time", Severity::Error, 3, "rank0.json", 12, "Times are wrong." },
        { "bad-time", Severity::Error, 1, "rank1.json.gz", 7, "Times are odd." },
        { "bad-time", Severity::Error, 1, "run.zip/rank0.json", 12, "It is odd." },
        { "missing-ranks", Severity::Warning, 1, "", {}, "There is no rank 1." }
    };
    QCOMPARE(diagnosticLines(diagnostics),
             (std::vector<std::string> { "error: rank0.json at byte 12: Times are wrong. (3 times)",
                                         "error: rank1.json.gz at byte 7 of the uncompressed data: "
                                         "Times are odd.",
                                         "error: run.zip/rank0.json at byte 12 of the "
                                         "uncompressed data: It is odd.",
                                         "warning: There is no rank 1." }));
}

void DiagnosticLinesTest::messagesAreSentences_data()
{
    QTest::addColumn<std::string>("message");
    QTest::addColumn<std::string>("line");
    const auto row = [](const char *message, const char *line) {
        QTest::newRow(message) << std::string(message) << "error: a.json: " + std::string(line);
    };
    row("the file is empty", "The file is empty.");
    row("is empty. Record again.", "Is empty. Record again.");
    row("torch.profiler wrote nothing", "torch.profiler wrote nothing.");
    row("'x' is odd (2)", "'x' is odd (2).");
    row("empty", "Empty.");
    row("", "");
}

void DiagnosticLinesTest::messagesAreSentences()
{
    QFETCH(const std::string, message);
    QFETCH(const std::string, line);
    QCOMPARE(diagnosticLines({ { "odd", Severity::Error, 1, "a.json", {}, message } }),
             std::vector<std::string> { line });
}

void DiagnosticLinesTest::filesThatSayTheSameShareALine()
{
    std::vector<Diagnostic> diagnostics;
    for (const char *file : { "rank0.json", "rank1.json", "rank2.json" })
        diagnostics.push_back({ "no-epoch", Severity::Warning, 1, file, 7, "There is no date." });
    diagnostics.push_back({ "no-epoch", Severity::Warning, 4, "rank3.json", {}, "No clock." });
    for (const char *file : { "rank5.json", "rank6.json" })
        diagnostics.push_back({ "odd", Severity::Warning, 2, file, {}, "It is odd." });
    diagnostics.push_back({ "no-epoch", Severity::Error, 1, "rank4.json", {}, "No clock." });
    QCOMPARE(diagnosticLines(diagnostics),
             (std::vector<std::string> { "warning: rank0.json and 2 more files: There is no date.",
                                         "warning: rank3.json: No clock. (4 times)",
                                         "warning: rank5.json and 1 more file: It is odd. (4 times "
                                         "in these files)",
                                         "error: rank4.json: No clock." }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(DiagnosticLinesTest)
#include "tst_diagnostic_lines.moc"
