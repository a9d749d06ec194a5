#include "core/base/error.h"
#include "core/commands/ops_command.h"
#include "core/project/read/search_terms.h"

#include <QTest>

using namespace core;

namespace {

std::vector<OpTableRow> threeRows()
{
    std::vector<OpTableRow> rows(3);
    rows[0].name = "mm";
    rows[0].ownNs = 30;
    rows[0].count = 1;
    rows[0].p95Ns = 5;
    rows[1].name = "reduce";
    rows[1].kind = OpTableKind::Communication;
    rows[1].ownNs = 20;
    rows[1].count = 7;
    rows[1].p95Ns = 5;
    rows[2].name = "step";
    rows[2].kind = OpTableKind::Annotation;
    rows[2].ownNs = 10;
    rows[2].count = 2;
    rows[2].p95Ns = 9;
    return rows;
}

std::string namesOf(const std::vector<OpTableRow> &rows)
{
    std::string names;
    for (const OpTableRow &row : rows)
        names += row.name + " ";
    return names;
}

} // namespace

class TestOpsCommand : public QObject
{
    Q_OBJECT

private slots:
    void rowsSortLargestFirst()
    {
        std::vector<OpTableRow> rows = threeRows();
        sortOpRows(rows, "count");
        QCOMPARE(namesOf(rows), std::string("reduce step mm "));
        rows = threeRows();
        sortOpRows(rows, "p95");
        QCOMPARE(namesOf(rows), std::string("step mm reduce ")); // equal ones keep their order
        QVERIFY_THROWS_EXCEPTION(UsageError, sortOpRows(rows, "colour"));
    }

    void aKindIsOneWord()
    {
        QCOMPARE(namesOf(opRowsOfKind(threeRows(), {})), std::string("mm reduce "));
        QCOMPARE(namesOf(opRowsOfKind(threeRows(), "framework-op")), std::string("mm "));
        QCOMPARE(namesOf(opRowsOfKind(threeRows(), "annotation")), std::string("step "));
        QCOMPARE(namesOf(opRowsOfKind(threeRows(), "python")), std::string());
        QCOMPARE(namesOf(opRowsOfKind(threeRows(), "comm")), std::string("reduce "));
        QVERIFY_THROWS_EXCEPTION(UsageError, opRowsOfKind(threeRows(), "framework op"));
    }

    /// Searches had the categories of files, `ops` had kinds.
    void searchesNameTheSameKinds()
    {
        for (std::size_t i = 0; i < OpTableKinds; ++i) {
            const auto kind = static_cast<OpTableKind>(i);
            const std::string word = opKindWord(kind);
            const SearchTerms terms = parseSearch("kind:" + word);
            QCOMPARE(terms.kinds.size(), std::size_t(1));
            QVERIFY(!terms.kinds[0].empty());
            for (const Category category : terms.kinds[0])
                QVERIFY(opTableKindOf(category) == kind);
            std::vector<OpTableRow> rows(1);
            rows[0].kind = kind;
            QCOMPARE(opRowsOfKind(rows, word).size(), std::size_t(1));
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpsCommand)
#include "tst_ops_command.moc"
