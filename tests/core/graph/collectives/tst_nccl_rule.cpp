#include "core/graph/collectives/nccl_releases.h"
#include "core/graph/collectives/nccl_rule.h"

#include <QTest>

#include <cmath>

using namespace core;

/// Against what NCCL itself logged (NCCL_DEBUG_SUBSYS=TUNING) in public issues.
class TestNcclRule : public QObject
{
    Q_OBJECT

private slots:
    void timesAreThoseThatNcclLogged_data();
    void timesAreThoseThatNcclLogged();
    void theFasterIsTaken_data();
    void theFasterIsTaken();
    void releasesCountLatenciesOtherwise_data();
    void releasesCountLatenciesOtherwise();
    void releasesChooseOtherwise();
    void theNearestReleaseSpeaksForAVersion();
    void sumsInTheSwitchArePossibleFromHopperOn();
    void onlyAllReducesHaveTrees();
    void ll128IsForNvLink();
};

namespace {

/// github.com/NVIDIA/nccl/issues/1453: three hosts of eight H100; its ring and tree times give
/// 192 GB/s.
NcclSystem threeHosts()
{
    return { 90, true, 370, 192, 8, {} };
}

/// github.com/NVIDIA/nccl/issues/1595: eight H100; its ring time gives 360 GB/s.
NcclSystem eightH100()
{
    return { 90, true, 360, 12, 8, {} };
}

} // namespace

void TestNcclRule::timesAreThoseThatNcclLogged_data()
{
    QTest::addColumn<bool>("isOneHost");
    QTest::addColumn<double>("bytes");
    QTest::addColumn<bool>("isTree");
    QTest::addColumn<int>("protocol");
    QTest::addColumn<double>("us");
    QTest::newRow("1453, 64 KiB: tree, LL") << false << 65536.0 << true << 0 << 37.798233;
    QTest::newRow("1453, 128 KiB: tree, LL128") << false << 131072.0 << true << 1 << 51.603912;
    QTest::newRow("1453, 8 GiB: ring, Simple")
        << false << 8589934592.0 << false << 2 << 86069.96875;
    QTest::newRow("1595, 768 MiB: ring, Simple")
        << true << 805306368.0 << false << 2 << 3970.683594;
}

void TestNcclRule::timesAreThoseThatNcclLogged()
{
    QFETCH(const bool, isOneHost);
    QFETCH(const double, bytes);
    QFETCH(const bool, isTree);
    QFETCH(const int, protocol);
    QFETCH(const double, us);
    const NcclGroup group = isOneHost ? NcclGroup { 8, 1 } : NcclGroup { 24, 3 };
    const double thoughtUs = ncclTimeUs(isOneHost ? eightH100() : threeHosts(), group, isTree,
                                        static_cast<NcclProtocol>(protocol), "all_reduce", bytes);
    QVERIFY2(std::abs(thoughtUs - us) < 1e-6 * us + 1e-5, qPrintable(QString::number(thoughtUs)));
}

void TestNcclRule::theFasterIsTaken_data()
{
    QTest::addColumn<double>("ranks");
    QTest::addColumn<double>("hosts");
    QTest::addColumn<int>("capability");
    QTest::addColumn<bool>("hasNvLink");
    QTest::addColumn<double>("bytes");
    QTest::addColumn<QByteArray>("choice");
    const auto row = [](const char *name, double ranks, double hosts, int capability, bool nvLink,
                        double bytes, const char *choice) {
        QTest::newRow(name) << ranks << hosts << capability << nvLink << bytes
                            << QByteArray(choice);
    };
    row("1453, 8 B", 24, 3, 90, true, 8, "TREE");
    row("1453, 128 KiB", 24, 3, 90, true, 131072, "TREE");
    row("1453, 8 GiB", 24, 3, 90, true, 8589934592, "RING");
    row("1595, 768 MiB", 8, 1, 90, true, 805306368, "RING");
    // github.com/NVIDIA/nccl/issues/1752: 64 hosts of eight H200, LL128.
    row("1752, 16 MiB", 512, 64, 90, true, 16777216, "TREE");
    // github.com/NVIDIA/nccl/issues/1453 and /946: between two hosts with NVLink trees for large
    // sizes, too.
    row("946, 1 GiB", 16, 2, 80, true, 1073741824, "TREE");
    // In one host ring and tree have as many steps, and the ring more bandwidth: what NCCL's
    // kernels on one host are.
    row("small in one host", 8, 1, 80, true, 1024, "RING");
    row("medium in one host", 8, 1, 70, true, 4194304, "RING");
    row("large in one host", 4, 1, 75, false, 268435456, "RING");
}

void TestNcclRule::theFasterIsTaken()
{
    QFETCH(const double, ranks);
    QFETCH(const double, hosts);
    QFETCH(const int, capability);
    QFETCH(const bool, hasNvLink);
    QFETCH(const double, bytes);
    QFETCH(const QByteArray, choice);
    const NcclSystem system { capability, hasNvLink, hasNvLink ? 240.0 : 12.0, 192, 8, {} };
    QCOMPARE(ncclChoice(system, { ranks, hosts }, "all_reduce", bytes),
             std::string_view(choice.constData()));
}

/// Of nothing between two hosts of eight A100, by hand from each release's table.
void TestNcclRule::releasesCountLatenciesOtherwise_data()
{
    QTest::addColumn<int>("version");
    QTest::addColumn<bool>("isTree");
    QTest::addColumn<int>("protocol");
    QTest::addColumn<double>("us");
    // 4.4 + 2 * (7 * 0.52 * 1.8 + 5)
    QTest::newRow("2.17, tree, LL") << 217 << true << 0 << 27.504;
    // 6.6 + 26 steps of 1 us to post and 4 of 2.7 us
    QTest::newRow("2.20, ring, LL") << 220 << false << 0 << 43.4;
    // two steps fewer between hosts
    QTest::newRow("2.28, ring, LL") << 228 << false << 0 << 40.0;
    // 2 * (7 * 4 + 14)
    QTest::newRow("2.18, tree, Simple") << 218 << true << 2 << 84.0;
    QTest::newRow("2.20, tree, Simple") << 220 << true << 2 << 448.0;
    QTest::newRow("2.28, tree, Simple") << 228 << true << 2 << 92.4;
    // 1.9 * (8.4 + 26 * 3.4 + 4 * 9.6); later 1.4, with 14 us
    QTest::newRow("2.17, ring, Simple") << 217 << false << 2 << 256.88;
    QTest::newRow("2.20, ring, Simple") << 220 << false << 2 << 213.92;
}

void TestNcclRule::releasesCountLatenciesOtherwise()
{
    QFETCH(const int, version);
    QFETCH(const bool, isTree);
    QFETCH(const int, protocol);
    QFETCH(const double, us);
    NcclSystem system { 80, true, 240, 24, 8, {} };
    system.version = version;
    const double thoughtUs = ncclTimeUs(system, { 16, 2 }, isTree,
                                        static_cast<NcclProtocol>(protocol), "all_reduce", 0);
    QVERIFY2(std::abs(thoughtUs - us) < 1e-6, qPrintable(QString::number(thoughtUs)));
}

void TestNcclRule::releasesChooseOtherwise()
{
    NcclSystem system { 90, true, 370, 192, 8, {} };
    const auto choice = [&system](int version, double bytes) {
        system.version = version;
        return ncclChoice(system, { 24, 3 }, "all_reduce", bytes);
    };
    QCOMPARE(choice(217, 16 << 20), std::string_view("TREE"));
    QCOMPARE(choice(220, 16 << 20), std::string_view("RING"));
    // One rank a host: from 2.25 on a ring's steps there are as long as a tree's.
    system = { 80, true, 240, 12, 8, {} };
    const auto lonely = [&system](int version) {
        system.version = version;
        return ncclTimeUs(system, { 4, 4 }, false, NcclProtocol::Ll, "all_reduce", 0);
    };
    QVERIFY(lonely(222) + 5 < lonely(228));
    system.version = 228;
    QCOMPARE(ncclChoice(system, { 4, 4 }, "all_reduce", 4096), std::string_view("TREE"));
    system.version = 220;
    QCOMPARE(ncclChoice(system, { 4, 4 }, "all_reduce", 4096), std::string_view("RING"));
}

void TestNcclRule::theNearestReleaseSpeaksForAVersion()
{
    QCOMPARE(ncclRelease(0).name, std::string_view("2.17"));
    QCOMPARE(ncclRelease(218).name, std::string_view("2.18"));
    QCOMPARE(ncclRelease(222).name, std::string_view("2.20"));
    QCOMPARE(ncclRelease(225).name, std::string_view("2.28"));
    QCOMPARE(ncclRelease(999).name, std::string_view("2.28"));
}

void TestNcclRule::sumsInTheSwitchArePossibleFromHopperOn()
{
    NcclSystem system = eightH100();
    const NcclGroup host { 8, 1 }, hosts { 24, 3 }, lonely { 4, 4 };
    QVERIFY(mayTakeNvls(system, host, "all_gather"));
    QVERIFY(mayTakeNvls(system, hosts, "all_reduce"));
    QVERIFY(!mayTakeNvls(system, hosts, "all_gather"));
    QVERIFY(!mayTakeNvls(system, lonely, "all_reduce"));
    system.version = 217; // has no trees of switches
    QVERIFY(!mayTakeNvls(system, hosts, "all_reduce"));
    QVERIFY(mayTakeNvls(system, host, "all_reduce"));
    system.version = 216;
    QVERIFY(!mayTakeNvls(system, host, "all_reduce"));
    system = eightH100();
    system.hasNvLink = false;
    QVERIFY(!mayTakeNvls(system, host, "all_reduce"));
    system = eightH100();
    system.computeCapability = 80;
    QVERIFY(!mayTakeNvls(system, host, "all_reduce"));
}

void TestNcclRule::onlyAllReducesHaveTrees()
{
    for (const char *kind : { "all_gather", "reduce_scatter", "broadcast" }) {
        QCOMPARE(ncclChoice(threeHosts(), { 24, 3 }, kind, 8), std::string_view("RING"));
        QVERIFY(
            std::isinf(ncclTimeUs(threeHosts(), { 24, 3 }, true, NcclProtocol::Simple, kind, 8)));
    }
}

void TestNcclRule::ll128IsForNvLink()
{
    NcclSystem system = threeHosts();
    const auto timeUs = [&system] {
        return ncclTimeUs(system, { 24, 3 }, true, NcclProtocol::Ll128, "all_reduce", 1e6);
    };
    QVERIFY(std::isfinite(timeUs()));
    system.hasNvLink = false;
    QVERIFY(std::isinf(timeUs()));
    system = threeHosts();
    system.computeCapability = 75;
    QVERIFY(std::isinf(timeUs()));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestNcclRule)
#include "tst_nccl_rule.moc"
