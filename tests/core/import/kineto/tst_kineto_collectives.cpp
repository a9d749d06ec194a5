#include "core/import/kineto/kineto_collectives.h"
#include "core/import/text/clean_text.h"
#include "core/import/unknown_format.h"

#include <QTest>

using namespace core;

class KinetoCollectivesTest : public QObject
{
    Q_OBJECT

private slots:
    void everySpellingOfACollectiveHasOneName_data()
    {
        QTest::addColumn<QByteArray>("spelling");
        QTest::addColumn<QByteArray>("kind");
        const auto row = [](const char *spelling, const char *kind) {
            QTest::newRow(spelling) << QByteArray(spelling) << QByteArray(kind);
        };
        row("allreduce", "all_reduce");
        row("AllReduce_Sum_f32_RING_LL(ncclDevComm*)", "all_reduce");
        row("_allgather_base", "all_gather");
        row("all_gather_into_tensor_coalesced", "all_gather");
        row("_reduce_scatter_base", "reduce_scatter");
        row("ReduceScatter_Sum_bf16", "reduce_scatter");
        row("all_to_allv", "all_to_all");
        row("alltoall_base", "all_to_all");
        row("broadcast", "broadcast");
        row("Reduce_Sum_f32", "reduce");
        row("send", "send");
        row("SendRecv", "send_recv");
        row("barrier", "barrier");
        row("Generic", "other");
    }
    void everySpellingOfACollectiveHasOneName()
    {
        QFETCH(QByteArray, spelling);
        QFETCH(QByteArray, kind);
        QCOMPARE(std::string(collectiveKind(spelling.toStdString())), kind.toStdString());
    }

    void communicationKernelsAreToldFromOthers()
    {
        QVERIFY(communicationKernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"));
        QVERIFY(communicationKernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t"));
        QVERIFY(communicationKernel("void ncclDevKernel_Generic(x)"));
        QVERIFY(communicationKernel("rcclSomething"));
        QVERIFY(!communicationKernel("ampere_sgemm_nccl"));
    }

    /// Tensor parallel jobs of serving engines reduce by kernels of their own.
    void kernelsOfServingEnginesAreCommunication_data()
    {
        QTest::addColumn<QByteArray>("kernel");
        QTest::addColumn<QByteArray>("kind");
        const auto row = [](const char *kernel, const char *kind) {
            QTest::newRow(kernel) << QByteArray(kernel) << QByteArray(kind);
        };
        row("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)",
            "all_reduce");
        row("void sglang::cross_device_reduce_2stage<__half, 2>(int)", "all_reduce");
        row("void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<("
            "flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, true>(x)",
            "all_reduce");
        row("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(x)",
            "all_reduce");
        row("tensorrt_llm::kernels::oneShotAllReduceKernel<float>(x)", "all_reduce");
        row("_ZN4vllm26cross_device_reduce_1stageI6__halfLi2EEEvPNS_8RankDataE", "all_reduce");
        row("ncclSymkDevKernel_AllGather_STMC(ncclSymkDevWorkArgs4K)", "all_gather");
        row("void aiter::reduce_scatter_cross_device_store<float>(x)", "reduce_scatter");
        row("void deep_ep::intranode::dispatch<2, 768, 8192>(int4*)", "all_to_all");
        row("void deep_ep::internode_ll::combine<true>(x)", "all_to_all");
        row("moe_comm::moeAllToAllKernel<false>(x)", "all_to_all");
        row("void deep_ep::intranode::notify_dispatch<2>(x)", "other");
        row("oneccl_allreduce_large", "all_reduce");
        row("hcom_reduceScatter__620_0_1", "reduce_scatter");
        row("nvshmemi_barrier_kernel", "other");
        for (const char *other :
             { "small_reduce_kernel", "void at::native::reduce_kernel<512, 1, allreduce>(x)",
               "warpAllReduceSoftmax(x)", "triton_poi_fused_all_reduce_wait_tensor_0",
               "gemm_allreduce_fused", "MatmulAllReduceAddRmsNorm", "dispatch_kernel",
               "deep_ep::layout::get_dispatch_layout(x)", "scatter_gather_elementwise" })
            row(other, "");
    }
    void kernelsOfServingEnginesAreCommunication()
    {
        QFETCH(QByteArray, kernel);
        QFETCH(QByteArray, kind);
        const std::string name = kernel.toStdString(); // what is found is a part of it
        const auto found = communicationKernel(name);
        QCOMPARE(found ? std::string(collectiveKind(*found)) : std::string(), kind.toStdString());
    }

    void elementsOfAFirstArgumentAreThoseOfItsTensors()
    {
        QCOMPARE(firstArgumentElements("[[[4, 2048, 4096], [8]], [3], []]").value_or(0), 33554440U);
        QCOMPARE(firstArgumentElements("[[25136], [], [7]]").value_or(0), 25136U);
        for (const char *none :
             { "", "[]", "[[], [7]]", "[[[]], [7]]", "7", "[[99999999999, 99999999999]]" })
            QVERIFY2(!firstArgumentElements(none), none);
        QCOMPARE(std::string(firstArgumentType(R"(["c10::BFloat16", "Scalar"])")),
                 std::string("c10::BFloat16"));
        QVERIFY(firstArgumentType("[]").empty());
    }

    void kernelsThatReduceNameTheirType()
    {
        QCOMPARE(reducedElementSize("ncclDevKernel_AllReduce_Sum_f16_RING_LL(x)"), 2U);
        QCOMPARE(reducedElementSize("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)"), 4U);
        QCOMPARE(reducedElementSize("ncclKernel_ReduceScatter_RING_LL_Sum___nv_bfloat16(x)"), 2U);
        QCOMPARE(reducedElementSize("ncclKernel_Reduce_RING_LL_Sum_int8_t(x)"), 1U);
        QCOMPARE(reducedElementSize("ncclDevKernel_AllReduce_Sum_f8e4m3_RING_LL(x)"), 1U);
        QCOMPARE(reducedElementSize("ncclKernel_AllGather_RING_LL_Sum_int8_t(x)"), 0U);
        QCOMPARE(reducedElementSize("ncclDevKernel_AllReduce(float)"), 0U);
        QCOMPARE(reducedElementSize("sgemm_f32"), 0U);
    }

    void bytesOfTensorsAreSizesTimesElementSize()
    {
        QCOMPARE(tensorBytes("[[2365450]]", "[\"float\"]"), 9461800U);
        QCOMPARE(tensorBytes("[[2, 3], [10]]", "[\"c10::Half\", \"long int\"]"), 92U);
        QCOMPARE(tensorBytes("[[2, 3], []]", "[\"float\", \"\"]"), 24U);
        QCOMPARE(tensorBytes("[]", "[]"), 0U);
        QCOMPARE(tensorBytes("", ""), 0U);
        QCOMPARE(tensorBytes("[[99999999999, 99999999999]]", "[\"float\"]"), 0U); // overflows
        QCOMPARE(tensorBytes("[[18446744073709551617]]", "[\"float\"]"), 0U); // as well
        QCOMPARE(tensorBytes("[[18446744073709551617], [3]]", "[\"float\", \"float\"]"), 12U);
        // Each has a size, and their sum has one of 65 bits; the other was shown as -4.
        const std::string many = "[4611686018427387903]";
        QCOMPARE(tensorBytes("[" + many + ", " + many + "]", "[\"float\", \"float\"]"), 0U);
        QCOMPARE(tensorBytes("[" + many + "]", "[\"float\"]"), 0U);
        // A list of tensors has one type, which does not say how large they are.
        QCOMPARE(tensorBytes("[[[2, 3], [4]], [5]]", "[\"TensorList\", \"float\"]"), 20U);
        QCOMPARE(tensorBytes("[[[]], [], [5]]", "[\"TensorList\", \"\", \"float\"]"), 20U);
        QCOMPARE(tensorBytes("[[2], [3", "[\"float\", \"float\"]"), 8U);
        QCOMPARE(tensorBytes("]][[[[2", "[\"float\"]"), 0U);
        QCOMPARE(elementSize("Float8_e4m3fn"), 1U);
        QCOMPARE(elementSize("BFloat16"), 2U);
        QCOMPARE(elementSize("TensorList"), 0U);
    }

    /// The rest of the list was looked through for every bracket: this took hours.
    void aListOfBracketsIsLookedThroughOnce()
    {
        constexpr int Many = 1'000'000;
        std::string types = "[";
        for (int i = 0; i < Many; ++i)
            types += "\"float\", ";
        QCOMPARE(tensorBytes(std::string(Many, '[') + "]", types), 4U); // one scalar, deep inside
        QCOMPARE(tensorBytes(std::string(Many, '['), types), 0U);
    }

    void stringsBecomeValidUtf8()
    {
        QCOMPARE(cleanString("a\\\"b\\\\c\\n\\u00e9\\ud83d\\ude00"),
                 std::string("a\"b\\c \xC3\xA9\xF0\x9F\x98\x80"));
        QCOMPARE(cleanString("x\xff\xc3y\xed\xa0\x80"),
                 std::string("x\xEF\xBF\xBD\xEF\xBF\xBDy")
                     + "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
        QCOMPARE(cleanString("\\ud83dz\\"), std::string("\xEF\xBF\xBDz"));
        QCOMPARE(cleanString("tab\there"), std::string("tab here"));
        QCOMPARE(cleanString("\\u12"), std::string("u12"));
        QCOMPARE(cleanText("{\"a\": \"\x01\\n\"}"), std::string("{\"a\": \" \\n\"}"));
    }

    void filesOfOtherProgramsAreNamed_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char *name, const QByteArray &head, const char *says) {
            QTest::newRow(says) << QByteArray(name) << head << QByteArray(says);
        };
        row("x", "", "is empty");
        row("x.json", "{\"traceEvents\": [{\"cat\": \"Op\"", "a program that is not known");
        row("x.sqlite", QByteArray("SQLite format 3\0abc", 19), "SQLite");
        row("x.nsys-rep", QByteArray("\1\2\0", 3), "nsys export");
        row("x.pb", QByteArray("\1\2\0", 3), "binary");
        row("README.md", "# Hello", "is text");
        row("meta.json", "{\"a\": 1}", "is JSON");
    }
    void filesOfOtherProgramsAreNamed()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, head);
        QFETCH(QByteArray, says);
        const std::string text = describeUnknown(name.toStdString(), head.toStdString()).message;
        QVERIFY2(text.find(says.toStdString()) != std::string::npos, text.c_str());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(KinetoCollectivesTest)
#include "tst_kineto_collectives.moc"
