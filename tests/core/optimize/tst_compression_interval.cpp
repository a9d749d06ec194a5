#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QRegularExpression>
#include <QTest>

using namespace core;

class CompressionIntervalTest : public QObject
{
    Q_OBJECT

private slots:
    void theUnknownCostOfHalfPrecisionIsInTheInterval();

private:
    tests::SampleProject m_sample;
};

/// A job of CPUs: how fast they add and divide half-precision numbers is not recorded.
void CompressionIntervalTest::theUnknownCostOfHalfPrecisionIsInTheInterval()
{
    Predictor predictor = m_sample.predictor();
    const Prediction unknown = predictor.predictJudged({ { "compression", 2.0 } }, {});
    const QRegularExpression number(QStringLiteral("takes ([0-9.]+) ns per byte"));
    double cost = 0;
    for (const std::string &note : unknown.graph->notes)
        if (const auto match = number.match(QString::fromStdString(note)); match.hasMatch())
            cost = match.captured(1).toDouble();
    QVERIFY(cost > 0);
    const auto at = [&](double factor) {
        return predictor
            .iterationNs({ { "compression", 2.0 }, { "compression_ns_per_byte", factor * cost } },
                         {})
            .value_or(0);
    };
    QVERIFY(at(3) > unknown.predictedNs && at(1.0 / 3) < unknown.predictedNs);
    QVERIFY(at(3) <= unknown.ciHighNs && at(1.0 / 3) >= unknown.ciLowNs);
    const Prediction known = predictor.predictJudged(
        { { "compression", 2.0 }, { "compression_ns_per_byte", cost } }, {});
    QVERIFY(known.ciHighNs < unknown.ciHighNs && known.ciLowNs > unknown.ciLowNs);
}

LONGPOLE_TEST(CompressionIntervalTest)
#include "tst_compression_interval.moc"
