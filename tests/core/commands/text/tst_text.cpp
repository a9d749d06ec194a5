#include "core/commands/text/text.h"

#include <QTest>

#include <sstream>

using namespace core;

class TestText : public QObject
{
    Q_OBJECT

private slots:
    /// A row slipped by a column for each letter that is no ASCII.
    void columnsAreAsWideAsTheirCharacters()
    {
        TextTable table({ "file", "events" });
        table.addRow({ "r\u00e4nk\u20ac0", "1" });
        table.addRow({ "rank-01", "20" });
        std::ostringstream out;
        table.print(out);
        QCOMPARE(out.str(),
                 std::string("file     events\n"
                             "r\u00e4nk\u20ac0        1\n"
                             "rank-01      20\n"));
    }

    void aPathToCopyIsOneWord()
    {
        QCOMPARE(shellWord("runs/job-1.longpole"), std::string("runs/job-1.longpole"));
        QCOMPARE(shellWord("my job"), std::string("'my job'"));
        QCOMPARE(shellWord("it's"), std::string("'it'\\''s'"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestText)
#include "tst_text.moc"
