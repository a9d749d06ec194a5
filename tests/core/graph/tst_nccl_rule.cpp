#include "core/graph/nccl_rule.h"

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

QTEST_GUILESS_MAIN(TestNcclRule)
#include "tst_nccl_rule.moc"
