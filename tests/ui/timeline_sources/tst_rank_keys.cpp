#include "ui/timeline_sources/rank_keys.h"
#include "ui/timeline_sources/track_order.h"

#include <QTest>

using namespace ui;

namespace {

core::Diagnosis fourRanks()
{
    core::Diagnosis diagnosis;
    for (int rank = 0; rank < 4; ++rank) {
        core::RankDiagnosis &of = diagnosis.ranks.emplace_back();
        of.worker = core::WorkerId(static_cast<std::uint32_t>(rank));
        of.rank = rank;
    }
    return diagnosis;
}

core::ProcessGroup group(core::GroupRole role, std::vector<int> ranks)
{
    core::ProcessGroup group;
    group.role = role;
    group.ranks = std::move(ranks);
    return group;
}

OrderedTracks onHosts(const std::vector<QString> &hosts)
{
    OrderedTracks order;
    order.hosts = hosts;
    for (std::size_t worker = 0; worker < hosts.size(); ++worker) {
        order.groups.push_back(QStringLiteral("rank %1").arg(worker));
    }
    return order;
}

} // namespace

class TestRankKeys : public QObject
{
    Q_OBJECT

private slots:
    void aRankWaitsAndIsWaitedFor()
    {
        core::Diagnosis diagnosis = fourRanks();
        diagnosis.ranks[0].waits
            = { { .rank = 2, .ns = 30, .aloneNs = 20 }, { .rank = 1, .ns = 5, .aloneNs = 1 } };
        diagnosis.ranks[3].waits = { { .rank = 2, .ns = 7, .aloneNs = 7 } };
        const GroupKeysByName keys = rankKeys(diagnosis, onHosts({ {}, {}, {}, {} }));
        QCOMPARE(keys.at(QStringLiteral("rank 0")).waitNs, std::int64_t(35));
        QCOMPARE(keys.at(QStringLiteral("rank 2")).lateNs, std::int64_t(27));
        QCOMPARE(keys.at(QStringLiteral("rank 1")).lateNs, std::int64_t(1));
        QVERIFY(keys.at(QStringLiteral("rank 0")).sections.empty());
    }

    void ranksAreGatheredByHostAndByRole()
    {
        core::Diagnosis diagnosis = fourRanks();
        diagnosis.groups
            = { group(core::GroupRole::Tensor, { 0, 1 }), group(core::GroupRole::Tensor, { 2, 3 }),
                group(core::GroupRole::Data, { 0, 1, 2, 3 }), // tells none apart
                group(core::GroupRole::Unknown, { 0, 2 }) };
        const QString a = QStringLiteral("node a"), b = QStringLiteral("node b");
        const GroupKeysByName keys = rankKeys(diagnosis, onHosts({ a, a, b, b }));
        QCOMPARE(keys.at(QStringLiteral("rank 3")).sections,
                 (std::map<QString, QString> {
                     { QStringLiteral("host"), b },
                     { QStringLiteral("tensor"), QStringLiteral("ranks 2-3") } }));
    }

    void oneHostIsNoHeading()
    {
        const QString host = QStringLiteral("node");
        const auto keys = rankKeys(fourRanks(), onHosts({ host, host, host, host }));
        QVERIFY(keys.at(QStringLiteral("rank 0")).sections.empty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRankKeys)
#include "tst_rank_keys.moc"
