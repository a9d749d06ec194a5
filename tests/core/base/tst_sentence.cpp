#include "core/base/sentence.h"

#include <QTest>

using namespace core;

class TestSentence : public QObject
{
    Q_OBJECT

private slots:
    void theFirstOfSeveralSentencesIsFound()
    {
        QCOMPARE(firstSentence("Launch less: x.item() waits. Use larger batches."),
                 std::string("Launch less: x.item() waits."));
        QCOMPARE(firstSentence("Use 2.5 MiB or e.g. less."),
                 std::string("Use 2.5 MiB or e.g. less."));
        QCOMPARE(firstSentence(""), std::string());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSentence)
#include "tst_sentence.moc"
