#include "ui/views/compare/given_facts_box.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

using namespace ui;

class TestGivenFactsBox : public QObject
{
    Q_OBJECT

private slots:
    void sizesAreAListOfTheRightLength();
    void nothingIsAskedForThatIsRecorded();
    void whatIsTypedIsGiven();
    void whatIsNotKeptIsNotSaidToBeUsed();
};

void TestGivenFactsBox::sizesAreAListOfTheRightLength()
{
    QVERIFY(gradientSizesIn(QStringLiteral("4096, 12"), 2)
            == std::optional(std::vector<std::uint64_t> { 4096, 12 }));
    for (const char *wrong : { "", "4096", "4096,", "4096,x", "4096,0", "4096,-1", "1,2,3" })
        QVERIFY2(!gradientSizesIn(QString::fromLatin1(wrong), 2), wrong);
}

void TestGivenFactsBox::nothingIsAskedForThatIsRecorded()
{
    QWidget parent;
    GivenFactsBox box(&parent);
    QVERIFY(!box.isVisibleTo(&parent));
    MissingFacts missing;
    missing.lacksRate = true;
    box.setMissing(missing);
    QVERIFY(box.isVisibleTo(&parent));
    const auto fields = box.findChildren<QLineEdit *>();
    QCOMPARE(std::count_if(fields.begin(), fields.end(),
                           [&](const QLineEdit *field) { return field->isVisibleTo(&parent); }),
             1);
}

void TestGivenFactsBox::whatIsTypedIsGiven()
{
    GivenFactsBox box(nullptr);
    MissingFacts missing;
    missing.gradients = 2;
    missing.lacksRate = true;
    box.setMissing(missing);
    std::optional<core::GivenFacts> given;
    connect(&box, &GivenFactsBox::given, this,
            [&given](const core::GivenFacts &facts) { given = facts; });
    const auto field = [&box](const char *name) {
        for (QLineEdit *line : box.findChildren<QLineEdit *>())
            if (line->accessibleName().startsWith(QLatin1String(name)))
                return line;
        qFatal("There is no such field.");
    };
    QTest::keyClicks(field("Gradient"), QStringLiteral("4096"));
    box.findChild<QPushButton *>()->click();
    QVERIFY(!given); // there are two
    QTest::keyClicks(field("Gradient"), QStringLiteral(",12"));
    QTest::keyClicks(field("Nominal"), QStringLiteral("1000"));
    QTest::keyClick(field("Nominal"), Qt::Key_Return);
    QVERIFY(given.has_value());
    QVERIFY(given->gradientBytes == (std::vector<std::uint64_t> { 4096, 12 }));
    QCOMPARE(given->linkMbit, std::optional(1000.0));
    missing.given = *given;
    box.setMissing(missing);
    QCOMPARE(field("Gradient")->text(), QStringLiteral("4096, 12"));
    QCOMPARE(givenNames(*given), QStringLiteral("gradient sizes, link rate"));
}

/// "Analysing the project with it" stayed on a project that cannot be written.
void TestGivenFactsBox::whatIsNotKeptIsNotSaidToBeUsed()
{
    GivenFactsBox box(nullptr);
    MissingFacts missing;
    missing.lacksRate = true;
    box.setMissing(missing);
    QLineEdit *rate = nullptr;
    const auto fields = box.findChildren<QLineEdit *>();
    for (QLineEdit *field : fields)
        if (field->isVisibleTo(&box))
            rate = field;
    QVERIFY(rate != nullptr);
    const QSignalSpy given(&box, &GivenFactsBox::given);
    rate->setText(QStringLiteral("700"));
    QTest::keyClick(rate, Qt::Key_Return);
    QCOMPARE(given.count(), 1);
    box.showNotKept(QStringLiteral("read-only"));
    const auto labels = box.findChildren<QLabel *>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
        return label->text() == QLatin1String("Not kept: read-only");
    }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGivenFactsBox)
#include "tst_given_facts_box.moc"
