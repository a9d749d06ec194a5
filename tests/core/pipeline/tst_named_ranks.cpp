#include "core/pipeline/named_ranks.h"

#include <QTest>

#include <algorithm>
#include <array>

using namespace core;

namespace {

const Importer &importerNamed(std::string_view name)
{
    return **std::find_if(importers().begin(), importers().end(),
                          [name](const auto &one) { return one->name() == name; });
}

/// "kineto a.json, xplane b.pb damaged" as traces.
std::vector<ListedTrace> listed(const QString &text)
{
    std::vector<ListedTrace> traces;
    for (const QString &one : text.split(QStringLiteral(", "))) {
        const QStringList words = one.split(QLatin1Char(' '));
        traces.push_back({ words[1].toStdString(), &importerNamed(words[0].toStdString()),
                           words.last() == QStringLiteral("damaged") });
    }
    return traces;
}

/// "0 name, 1 digits, -".
QString printed(const std::vector<std::optional<NamedRank>> &ranks)
{
    constexpr std::array Sources = { "name", "alone", "order", "digits", "places" };
    QStringList list;
    for (const auto &rank : ranks)
        list << (rank ? QStringLiteral("%1 %2")
                            .arg(rank->rank)
                            .arg(QLatin1String(Sources.at(static_cast<std::size_t>(rank->source))))
                      : QStringLiteral("-"));
    return list.join(QStringLiteral(", "));
}

} // namespace

class NamedRanksTest : public QObject
{
    Q_OBJECT

private slots:
    void namesTellRanksTogether_data();
    void namesTellRanksTogether();
};

namespace {

void ranksRow(const char *title, const char *traces, const char *ranks)
{
    QTest::newRow(title) << QString::fromLatin1(traces) << QString::fromLatin1(ranks);
}

/// Numbers in names, or none.
void addNumberRows()
{
    ranksRow("words", "kineto rank3.json, kineto b/rank1/x.json", "3 name, 1 name");
    ranksRow("the only difference", "kineto v2_kineto_0.json, kineto v2_kineto_7.json",
             "0 name, 7 name");
    ranksRow("the only difference is a folder", "kineto run2/0/a.json, kineto run2/1/a.json",
             "0 name, 1 name");
    ranksRow("times differ, too", "kineto t_0.1623143089861.json, kineto t_1.1623143089999.json",
             "-, -");
    ranksRow("likely numbers", "kineto a_1.json, kineto b_0.json, kineto c.json",
             "1 digits, 0 digits, -");
    ranksRow("likely numbers twice", "kineto h0_t_0.json, kineto h1_t_0.json, kineto h1_t_1.json",
             "-, -, -");
    ranksRow("two hosts' GPUs", "kineto host0_gpu0.json, kineto host1_gpu1.json", "-, -");
    ranksRow("alone", "kineto trace.json", "0 alone");
    ranksRow("alone, with a number", "tensorflow-timeline timeline_01.json", "0 alone");
    ranksRow("alone, behind a word", "kineto node3.json", "3 digits");
    ranksRow("years", "kineto trace_2023.json, kineto trace_2024.json", "-, -");
    ranksRow("steps", "kineto step_0.json, kineto step_1.json", "-, -");
    ranksRow("steps of two models", "kineto a_step_0.json, kineto b_step_1.json", "-, -");
    ranksRow("runs", "kineto run1/trace.json, kineto run2/trace.json", "-, -");
    ranksRow("sizes", "kineto bert_100.json, kineto vgg_200.json", "-, -");
    ranksRow("one number among several", "kineto a_1.json, kineto b.json", "-, -");
    ranksRow("sampled ranks", "kineto t_0.json, kineto t_64.json", "0 name, 64 name");
    ranksRow("from 1", "kineto t_1.json, kineto t_2.json", "1 name, 2 name");
    ranksRow("of one host", "kineto t_4.json, kineto t_5.json, kineto t_6.json, kineto t_7.json",
             "4 name, 5 name, 6 name, 7 name");
    ranksRow("of no host", "kineto t_5.json, kineto t_6.json, kineto t_7.json, kineto t_8.json",
             "-, -, -, -");
    ranksRow("GPUs", "kineto gpu2.json, kineto gpu3.json", "2 digits, 3 digits");
}

/// Names of hosts, damaged files, parts of a rank.
void addHostRows()
{
    ranksRow("alone, a version", "pytorch-et 1.0.2-chakra.0.0.4.json", "0 alone");
    ranksRow("alone, a host", "xplane 34.83.195.179_6003.xplane.pb", "0 alone");
    ranksRow("hosts", "xplane 10.0.0.1_6003.xplane.pb, xplane 10.0.0.7_6003.xplane.pb",
             "0 order, 1 order");
    ranksRow("hosts of two folders", "xplane a/x.xplane.pb, xplane b/x.xplane.pb", "-, -");
    ranksRow("hosts beside another format", "kineto a.json, xplane b.xplane.pb, xplane c.xplane.pb",
             "-, 0 order, 1 order");
    ranksRow("beside a damaged one", "xplane a.xplane.pb damaged, xplane run/b.xplane.pb",
             "-, 0 alone");
    ranksRow("damaged ones keep their numbers",
             "xplane a.xplane.pb, xplane b.xplane.pb damaged, xplane c.xplane.pb",
             "0 order, -, 2 order");
    ranksRow("all damaged", "xplane a.xplane.pb damaged, xplane b.xplane.pb damaged", "-, -");
    ranksRow("parts of a rank", "kineto kineto.json, pytorch-et et_2.json", "0 alone, 0 alone");
    ranksRow("parts that agree", "kineto kineto_2.json, pytorch-et et_2.json",
             "2 digits, 2 digits");
    ranksRow("parts of which one says it", "kineto rank3.json, pytorch-et et.json",
             "3 name, 3 name");
}

/// Places in a grid of ranks, ids behind words, folders of times.
void addPlaceRows()
{
    ranksRow("SGLang's places",
             "kineto 17.1-TP-0-DP-0-PP-0-EP-0.trace.json.gz, kineto "
             "17.1-TP-0-DP-0-PP-1-EP-0.trace.json.gz, "
             "kineto 17.1-TP-1-DP-0-PP-0-EP-0.trace.json.gz, kineto "
             "17.1-TP-1-DP-0-PP-1-EP-0.trace.json.gz",
             "0 places, 2 places, 1 places, 3 places");
    ranksRow("replicas of layers",
             "kineto TP-0-DP-0-PP-1.json, kineto TP-1-DP-1-PP-0.json, "
             "kineto TP-0-DP-0-PP-0.json, kineto TP-1-DP-1-PP-1.json",
             "2 places, 1 places, 0 places, 3 places");
    ranksRow("replicas of jobs",
             "kineto TP-0-DP-0-PP-0.json, kineto TP-0-DP-1-PP-0.json, "
             "kineto TP-0-DP-0-PP-1.json, kineto TP-0-DP-1-PP-1.json",
             "0 places, 2 places, 1 places, 3 places");
    ranksRow("sizes of jobs", "kineto tp2_pp4.json, kineto tp4_pp2.json", "-, -");
    ranksRow(
        "the last number behind a host",
        "kineto torch_trace_rank_container-node02_4.json, kineto "
        "torch_trace_rank_container-node02_5.json, kineto torch_trace_rank_container-node07_6.json",
        "4 digits, 5 digits, 6 digits");
    ranksRow("one behind a host", "kineto torch_trace_rank_container-node07_40.json", "40 digits");
    ranksRow("one large number behind a word", "kineto rank_trace_12345.json", "0 alone");
    ranksRow("ids of processes behind a word",
             "kineto rank_trace_12345.json, kineto rank_trace_12399.json", "-, -");
    ranksRow("large ranks of a job", "kineto rank_node0_1.json, kineto rank_node200_1600.json",
             "1 digits, 1600 digits");
    ranksRow("folders that are no times",
             "xplane profile/2026_257_13_08_00_00/node-1.xplane.pb, "
             "xplane profile/2026_01_269_08_00_02/node-0.xplane.pb",
             "-, -");
    ranksRow("JAX's hosts in folders of times",
             "xplane profile/2026_05_13_08_00_00/node-1.xplane.pb, "
             "xplane profile/2026_05_13_08_00_02/node-0.xplane.pb",
             "1 order, 0 order");
    ranksRow("one of JAX's hosts twice",
             "xplane profile/2026_05_13_08_00_00/node-1.xplane.pb, "
             "xplane profile/2026_05_13_08_00_02/node-1.xplane.pb",
             "-, -");
    ranksRow("JAX's hosts at other times",
             "xplane profile/2026_05_13_08_00_00/node-1.xplane.pb, "
             "xplane profile/2026_05_13_18_00_02/node-0.xplane.pb",
             "-, -");
    ranksRow("workloads of Chakra", "chakra ar.0.et, chakra ar.1.et", "0 name, 1 name");
}

} // namespace

void NamedRanksTest::namesTellRanksTogether_data()
{
    QTest::addColumn<QString>("traces");
    QTest::addColumn<QString>("ranks");
    addNumberRows();
    addHostRows();
    addPlaceRows();
}

void NamedRanksTest::namesTellRanksTogether()
{
    QFETCH(const QString, traces);
    QFETCH(const QString, ranks);
    QCOMPARE(printed(namedRanks(listed(traces))), ranks);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NamedRanksTest)
#include "tst_named_ranks.moc"
