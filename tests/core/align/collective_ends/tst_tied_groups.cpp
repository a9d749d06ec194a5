#include "core/align/collective_ends/tied_groups.h"

#include <QTest>

#include <cstddef>
#include <vector>

using namespace core;

namespace {

using Workers = std::vector<std::size_t>;

ObservedCollective among(const Workers &workers)
{
    ObservedCollective collective;
    for (const std::size_t worker : workers)
        collective.parts.push_back({ worker, 0, 1 });
    return collective;
}

} // namespace

class TestTiedGroups : public QObject
{
    Q_OBJECT

private slots:
    void chainsOfCollectivesTie()
    {
        const std::vector<ObservedCollective> all { among({ 4, 5 }), among({ 1, 3 }),
                                                    among({ 5, 2 }), among({ 3, 1 }),
                                                    among({ 2, 4 }) };
        EndCollectives ends;
        for (const ObservedCollective &collective : all)
            ends.push_back(&collective);
        const TiedGroups groups(ends, 6);
        for (const std::size_t worker : { 2, 4, 5 }) {
            QCOMPARE(groups.workersWith(worker), (Workers { 2, 4, 5 }));
            QCOMPARE(groups.collectivesOf(worker), (EndCollectives { &all[0], &all[2], &all[4] }));
        }
        for (const std::size_t worker : { 1, 3 }) {
            QCOMPARE(groups.workersWith(worker), (Workers { 1, 3 }));
            QCOMPARE(groups.collectivesOf(worker), (EndCollectives { &all[1], &all[3] }));
        }
        QCOMPARE(groups.workersWith(0), (Workers { 0 }));
        QVERIFY(groups.collectivesOf(0).empty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTiedGroups)
#include "tst_tied_groups.moc"
