#include "core/change/change_list.h"
#include "core/optimize/pass_list.h"
#include "core/optimize/presets.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace core;

class PresetsTest : public QObject
{
    Q_OBJECT

private slots:
    void eachHasASourceAndIsPredicted();
};

/// The sample is a job of DDP, which all of them can be tried on.
void PresetsTest::eachHasASourceAndIsPredicted()
{
    const tests::SampleProject sample;
    Predictor predictor = sample.predictor();
    std::set<std::string_view> names;
    bool wasDefault = true;
    for (const Preset &preset : presets()) {
        QVERIFY(names.insert(preset.name).second);
        QVERIFY(!preset.title.empty() && !preset.source.empty());
        QVERIFY(wasDefault || !preset.isDefault); // defaults come first
        wasDefault = preset.isDefault;
        QVERIFY2(contradictionOf(preset.changes).empty(), preset.name.data());
        QVERIFY(preset.pass.empty()
                || std::any_of(passes().begin(), passes().end(), [&preset](const auto &pass) {
                       return pass->info().name == preset.pass;
                   }));
        if (preset.name == "hierarchical") // the sample's ranks are on one host
            continue;
        const auto ns = predictor.iterationNs(preset.changes, {});
        QVERIFY2(ns.has_value() && *ns > 0, preset.name.data());
    }
    QVERIFY(names.size() >= 14);
}

LONGPOLE_TEST(PresetsTest)
#include "tst_presets.moc"
