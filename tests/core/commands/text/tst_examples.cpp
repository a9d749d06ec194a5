#include "core/commands/command.h"
#include "core/commands/text/examples.h"

#include <QTest>

using namespace core;

class TestExamples : public QObject
{
    Q_OBJECT

private slots:
    void everyCommandHasOneOrTwo()
    {
        for (const auto &command : commands()) {
            const auto lines = commandExamples(command->name());
            const std::string name(command->name());
            QVERIFY2(!lines.empty() && lines.size() <= 2, name.c_str());
            for (const std::string_view line : lines)
                QVERIFY2(line.starts_with("longpole " + name + " "), name.c_str());
        }
        QVERIFY(commandExamples("paint").empty());
    }

    void helpEndsWithThem()
    {
        QCOMPARE(examplesText("info"), std::string("Example:\n  longpole info job.longpole"));
        QVERIFY(examplesText("graph").starts_with("Examples:\n  longpole graph "));
        QCOMPARE(examplesText("paint"), std::string());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestExamples)
#include "tst_examples.moc"
