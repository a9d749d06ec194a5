#include "core/optimize/passes/bucket_cap_pass.h"

#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace core {

namespace {

    constexpr PassInfo CapInfo { .name = "bucket_cap",
                                 .title = "Bucket size",
                                 .hint = "One size for DDP's buckets, and one for the first",
                                 .source
                                 = "PyTorch DDP's rule, compute_bucket_assignment_by_size" };

    /// MiB. Neighbours differ by a factor of about 1.4.
    constexpr std::array CapsMb
        = { 0.5,  0.7,  1.0,  1.5,  2.0,   3.0,   4.0,   5.0,   7.0,   10.0,  14.0, 20.0,
            25.0, 35.0, 50.0, 70.0, 100.0, 140.0, 200.0, 280.0, 400.0, 560.0, 800.0 };

    struct Size
    {
        double capMb, firstMb;
        double farness = 0;
    };

    std::string sizeText(const Size &size)
    {
        const auto text = [](double mb) { return Change("", mb).valueText(); };
        return "buckets of " + text(size.capMb) + " MiB, the first of " + text(size.firstMb)
            + " MiB";
    }

    /// Those nearest to the present first.
    std::vector<Size> sizesByFarness(const Search &search)
    {
        const MeasuredJob job = search.predictor().job();
        const double presentMb = recordedCapMb(job.graph, job.trace).value_or(DefaultBucketCapMb);
        const BucketLimits present = bucketLimits(job.graph, job.trace, {});
        const double presentFirstMb = static_cast<double>(present.firstBytes) / BytesPerMb;
        std::vector<Size> sizes;
        for (const double capMb : CapsMb)
            for (const double firstMb : { DefaultFirstBucketMb, capMb }) {
                constexpr double FirstWeight = 0.01; // another cap counts for more
                sizes.push_back(
                    { capMb, firstMb,
                      std::abs(std::log(capMb / presentMb))
                          + FirstWeight * std::abs(std::log(firstMb / presentFirstMb)) });
            }
        std::stable_sort(sizes.begin(), sizes.end(),
                         [](const Size &a, const Size &b) { return a.farness < b.farness; });
        return sizes;
    }

    class BucketCapPass : public Pass
    {
    public:
        const PassInfo &info() const override { return CapInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            return search.obstacle("bucket_cap_mb");
        }

        void run(Search &search) const override { proposeBucketSizes(search, search.best(), {}); }
    };

} // namespace

void proposeBucketSizes(Search &search, const Strategy &start, const std::string &others)
{
    const std::vector<std::uint64_t> &bytes
        = usualStep(search.predictor().job().graph)->parameterBytes;
    std::set<std::vector<std::size_t>> tried;
    for (const Size &size : sizesByFarness(search)) {
        const auto inBytes = [](double mb) { return static_cast<std::uint64_t>(mb * BytesPerMb); };
        if (!tried.insert(bucketLayout(bytes, inBytes(size.firstMb), inBytes(size.capMb))).second)
            continue; // the same buckets
        search.propose(
            Search::with(start,
                         { { "bucket_cap_mb", size.capMb }, { "first_bucket_mb", size.firstMb } }),
            sizeText(size) + others, "every size that makes other buckets is tried", size.farness);
    }
}

std::unique_ptr<const Pass> bucketCapPass()
{
    return std::make_unique<BucketCapPass>();
}

} // namespace core
