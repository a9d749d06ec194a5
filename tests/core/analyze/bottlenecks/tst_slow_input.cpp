#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "tests/core/analyze/ranks/slow_second_rank.h"

#include <QtTest>

#include <vector>

using namespace core;
using namespace tests;

namespace {

/// Three iterations of 100 ms; each rank loads its input for as long, in ms, with worker processes,
/// launches 20 ms of kernels and an all-reduce, which ends 10 ms after the last rank has come.
Trace jobLoading(const std::vector<int> &inputMs, int latestMs)
{
    std::string text;
    int correlation = 0;
    for (std::size_t rank = 0; rank < inputMs.size(); ++rank) {
        text += "rank " + std::to_string(rank) + "\n";
        std::string steps, host = "thread main\n", stream = "stream 7 gpu=0\n",
                           network = "stream 20 gpu=0\n";
        const auto add = [](std::string &to, const std::string &name, int atUs, int us,
                            const std::string &rest) {
            to += name + " " + std::to_string(atUs) + " " + std::to_string(us) + " " + rest + "\n";
        };
        for (int i = 0; i < 3; ++i) {
            const int begin = i * 100'000, ready = begin + inputMs[rank] * 1000;
            const int latest = begin + latestMs * 1000;
            add(steps, "iteration", i, begin, "100000");
            if (inputMs[rank] > 0)
                add(host, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin,
                    inputMs[rank] * 1000, "user_annotation phase=input");
            add(host, "cudaLaunchKernel", ready, 10,
                "runtime corr=" + std::to_string(++correlation));
            add(stream, "gemm", ready + 20, 20'000, "kernel corr=" + std::to_string(correlation));
            add(host, "cudaLaunchKernel", ready + 10, 10,
                "runtime corr=" + std::to_string(++correlation));
            add(network, "ncclAllReduce", ready + 20'020, latest + 30'020 - ready - 20'020,
                "comm_kernel kind=all_reduce bytes=1000000 corr=" + std::to_string(correlation));
            add(host, "cudaDeviceSynchronize", ready + 20, begin + 99'980 - ready, "runtime");
        }
        text += steps + host + stream + network;
    }
    return traceFromText(text);
}

QString remarksOf(const Diagnosis &diagnosis)
{
    QStringList lines;
    for (const std::string &line : diagnosis.rankRemarks)
        lines << QString::fromStdString(line);
    return lines.join(QLatin1Char('\n'));
}

} // namespace

/// Ranks with accelerators whose threads load input.
class SlowInputTest : public QObject
{
    Q_OBJECT

private slots:
    void theRankWhoseInputIsSlowIsNamed();
    void inputThatOnlyOneRankLoadsIsToldAsTheCause();
    void inputThatIsSlowOnAllRanksIsNobodys();
};

/// "That it comes late is no bottleneck of its own", beside "Loading the input costs 59.59 ms".
void SlowInputTest::theRankWhoseInputIsSlowIsNamed()
{
    const Diagnosis diagnosis = diagnosed(jobLoading({ 1, 1, 1, 60 }, 60));
    const QString verdict = QString::fromStdString(verdictText(diagnosis));
    QVERIFY2(verdict.startsWith(QStringLiteral("Rank 3 makes the others wait, which costs ")),
             qPrintable(verdict));
    QVERIFY2(verdict.contains(QStringLiteral(
                 "Loading its input takes 60.00 ms (the median of the others: 1.000 ms)")),
             qPrintable(verdict));
    QVERIFY2(!verdict.contains(QStringLiteral("together")), qPrintable(verdict));
    const Bottleneck *straggler = find(diagnosis, "straggler");
    QVERIFY(straggler && straggler->gainNs > 55 * Ms && straggler->gainNs < 62 * Ms);
    QVERIFY2(straggler->advice.find("Loading processes are in use") != std::string::npos,
             straggler->advice.c_str());
    QVERIFY2(straggler->evidence.back().find("input_scale=0") != std::string::npos,
             straggler->evidence.back().c_str());
    const QString remarks = remarksOf(diagnosis);
    QVERIFY2(!remarks.contains(QStringLiteral("hardly anything")), qPrintable(remarks));
    // What one rank's input costs counts once: 1 ms is left for all.
    const Bottleneck *input = find(diagnosis, "input");
    QVERIFY(!input || input->gainNs < 2 * Ms);
}

/// The median rank loads none.
void SlowInputTest::inputThatOnlyOneRankLoadsIsToldAsTheCause()
{
    const Diagnosis diagnosis = diagnosed(jobLoading({ 0, 0, 0, 60 }, 60));
    const QString verdict = QString::fromStdString(verdictText(diagnosis));
    QVERIFY2(verdict.startsWith(QStringLiteral("Rank 3 makes the others wait, which costs ")),
             qPrintable(verdict));
    QVERIFY2(verdict.contains(QStringLiteral(
                 "Loading its input takes 60.00 ms (the median of the others: 0 ns)")),
             qPrintable(verdict));
    const QString remarks = remarksOf(diagnosis);
    QVERIFY2(!remarks.contains(QStringLiteral("hardly anything")), qPrintable(remarks));
    const Bottleneck *input = find(diagnosis, "input");
    QVERIFY(!input || input->gainNs < 2 * Ms); // counted once
}

void SlowInputTest::inputThatIsSlowOnAllRanksIsNobodys()
{
    const Diagnosis diagnosis = diagnosed(jobLoading({ 60, 60, 60, 60 }, 60));
    QVERIFY(!find(diagnosis, "straggler"));
    const QString verdict = QString::fromStdString(verdictText(diagnosis));
    QVERIFY2(verdict.startsWith(QStringLiteral("Loading the input costs ")), qPrintable(verdict));
    const Bottleneck *input = find(diagnosis, "input");
    QVERIFY(input && input->gainNs > 55 * Ms);
    QVERIFY2(input->advice.find("in the background already") != std::string::npos,
             input->advice.c_str());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SlowInputTest)
#include "tst_slow_input.moc"
