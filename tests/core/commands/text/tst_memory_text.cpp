#include "core/commands/text/memory_text.h"

#include <QTest>

#include <sstream>

using namespace core;

namespace {

constexpr std::uint64_t MiB = 1024 * 1024;

MemoryPeak peakOf(int rank, std::uint64_t measuredMib, std::optional<std::uint64_t> predictedMib)
{
    MemoryPeak peak;
    peak.rank = rank;
    peak.device = 0;
    peak.startBytes = 100 * MiB;
    peak.measuredBytes = measuredMib * MiB;
    if (predictedMib)
        peak.predictedBytes = *predictedMib * MiB;
    return peak;
}

QString textOf(const PeakMemory &memory)
{
    std::ostringstream out;
    printPeakMemory(memory, out);
    return QString::fromStdString(out.str());
}

} // namespace

class MemoryTextTest : public QObject
{
    Q_OBJECT

private slots:
    void eachPeakHasItsOwnPlace();
    void whatIsNotPredictedSaysWhy();
};

/// The peak measured on one rank was said to be on the one with the largest prediction.
void MemoryTextTest::eachPeakHasItsOwnPlace()
{
    PeakMemory memory;
    memory.devices = { peakOf(0, 300, 310), peakOf(1, 200, 400) };
    memory.ranksWithout = { 2 };
    QCOMPARE(textOf(memory),
             QStringLiteral("Peak memory: measured 300 MiB (rank 0, device 0; 100 MiB of it from "
                            "before the first iteration), predicted 400 MiB (rank 1, device 0)\n"
                            "  of 1 other rank no allocations are recorded\n"));
    memory.devices[1].predictedBytes = 200 * MiB;
    QVERIFY(textOf(memory).contains(QStringLiteral("), predicted 310 MiB\n")));
}

void MemoryTextTest::whatIsNotPredictedSaysWhy()
{
    PeakMemory memory;
    memory.devices = { peakOf(0, 300, 500), peakOf(1, 400, std::nullopt) };
    memory.notPredicted = "the host is not recorded.";
    QCOMPARE(textOf(memory),
             QStringLiteral("Peak memory: measured 400 MiB (rank 1, device 0; 100 MiB of it from "
                            "before the first iteration), predicted not known: the host is not "
                            "recorded.\n"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(MemoryTextTest)
#include "tst_memory_text.moc"
