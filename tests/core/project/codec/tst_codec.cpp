#include "core/project/codec/column_codec.h"
#include "core/project/codec/compression.h"
#include "core/project/codec/slice_codec.h"
#include "core/project/codec/string_pool.h"

#include <QTest>

#include <limits>

using namespace core;

namespace {

constexpr std::uint64_t Largest = std::numeric_limits<std::uint64_t>::max();

SliceColumns oneSlice()
{
    SliceColumns slices;
    slices.startNs = { 5 };
    slices.durationNs = { 7 };
    slices.name = { NameId(1) };
    slices.category = { Category::CpuOp };
    slices.phase = { Phase::Forward };
    slices.depth = { 2 };
    return slices;
}

} // namespace

class TestCodec : public QObject
{
    Q_OBJECT
private slots:
    void columnsAreNarrowAndComeBack_data();
    void columnsAreNarrowAndComeBack();
    void linksWithoutAColumnAreAnError();
    void shortBlobsAreErrors();
    void impossibleSlicesAreErrors();
    void internedTextsKeepTheirIds();
};

void TestCodec::columnsAreNarrowAndComeBack_data()
{
    QTest::addColumn<std::vector<std::uint64_t>>("values");
    QTest::addColumn<int>("bytes"); // 9 of them are the column's head
    using Values = std::vector<std::uint64_t>;
    QTest::newRow("no rows") << Values {} << 9;
    QTest::newRow("zeros") << Values { 0, 0, 0 } << 9;
    QTest::newRow("around a base") << Values { 0, 1'000'000, 1'000'100, 0 } << 9 + 4;
    QTest::newRow("counting") << Values { 1000, 1001, 1002, 1003, 1003, 1001 } << 9 + 6;
    QTest::newRow("mixed") << Values { 3, 70'000, 0, 9 } << 9 + 16;
    QTest::newRow("extremes") << Values { 0, Largest, 1, Largest } << 9 + 4;
    QTest::newRow("wide") << Values { 1, Largest / 2, 77 } << 9 + 24;
}

void TestCodec::columnsAreNarrowAndComeBack()
{
    QFETCH(const std::vector<std::uint64_t>, values);
    QFETCH(const int, bytes);
    ByteBuffer buffer;
    encodeColumn(values, buffer);
    ByteSpan in = buffer;
    QCOMPARE(decodeColumn(in, values.size()), values);
    QVERIFY(in.empty());
    QVERIFY2(static_cast<int>(buffer.size()) <= bytes, qPrintable(QString::number(buffer.size())));
}

void TestCodec::linksWithoutAColumnAreAnError()
{
    ByteBuffer columns;
    for (std::uint64_t column = 1; column <= 6; ++column)
        encodeColumn(std::vector<std::uint64_t> { column, 0 }, columns);
    QVERIFY_THROWS_EXCEPTION(Error, decodeLinks(columns, 2));
    encodeColumn(std::vector<std::uint64_t> { 7, 0 }, columns);
    const LinkColumns links = decodeLinks(columns, 2);
    QCOMPARE(links.argsOrdinal, (std::vector<std::uint64_t> { 6, 0 }));
    QCOMPARE(links.node, (std::vector<std::uint64_t> { 7, 0 }));
}

void TestCodec::shortBlobsAreErrors()
{
    ByteBuffer buffer;
    encodeColumn(std::vector<std::uint64_t> { 1, 200, 70'000 }, buffer);
    for (std::size_t size = 0; size < buffer.size(); ++size) {
        ByteSpan in(buffer.data(), size);
        QVERIFY_THROWS_EXCEPTION(Error, decodeColumn(in, 3));
    }
    buffer[0] = 3; // no such width
    ByteSpan in = buffer;
    QVERIFY_THROWS_EXCEPTION(Error, decodeColumn(in, 3));
    QVERIFY_THROWS_EXCEPTION(Error, decompress(buffer, 100));
    QVERIFY_THROWS_EXCEPTION(Error, decompress(buffer, Largest));
}

void TestCodec::impossibleSlicesAreErrors()
{
    ByteBuffer buffer;
    encodeHot(oneSlice(), 0, 1, buffer);
    QCOMPARE(buffer.size(), HotRowBytes);
    SliceColumns slices;
    decodeHot(buffer, 1, 2, slices);
    QCOMPARE(slices.depth.at(0), std::uint8_t(2));
    QVERIFY_THROWS_EXCEPTION(Error, decodeHot(buffer, 1, 1, slices)); // name 1 does not exist
    QVERIFY_THROWS_EXCEPTION(Error, decodeHot(buffer, 2, 2, slices));
    buffer[20] = 200; // no such category
    QVERIFY_THROWS_EXCEPTION(Error, decodeHot(buffer, 1, 2, slices));
    buffer[20] = 1;
    buffer[15] = 0x80; // negative duration
    QVERIFY_THROWS_EXCEPTION(Error, decodeHot(buffer, 1, 2, slices));
}

void TestCodec::internedTextsKeepTheirIds()
{
    StringPool pool;
    QCOMPARE(pool.intern(""), NameId(0));
    for (int i = 1; i < 5'000; ++i)
        QCOMPARE(pool.intern("name " + std::to_string(i)), NameId(static_cast<std::uint32_t>(i)));
    QCOMPARE(pool.intern("name 77"), NameId(77));
    pool.shrink(100);
    QCOMPARE(pool.intern("name 77"), NameId(77));
    QCOMPARE(pool.intern("name 200"), NameId(100));
    QCOMPARE(pool.text(NameId(100)), std::string_view("name 200"));
    const std::string large(200'000, 'x');
    QCOMPARE(pool.text(pool.intern(large)), std::string_view(large));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCodec)
#include "tst_codec.moc"
