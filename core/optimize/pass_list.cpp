#include "core/optimize/pass_list.h"

#include "core/optimize/passes/bucket_cap_pass.h"
#include "core/optimize/passes/bucket_cuts_pass.h"
#include "core/optimize/passes/bytescheduler_pass.h"
#include "core/optimize/passes/compression_pass.h"
#include "core/optimize/passes/dear_pass.h"
#include "core/optimize/passes/dpro_pass.h"
#include "core/optimize/passes/fusion_pass.h"
#include "core/optimize/passes/joint_pass.h"
#include "core/optimize/passes/p3_pass.h"
#include "core/optimize/passes/tictac_pass.h"
#include "core/optimize/passes/us_byte_pass.h"

namespace core {

namespace {

    std::vector<std::unique_ptr<const Pass>> makePasses()
    {
        std::vector<std::unique_ptr<const Pass>> all;
        all.push_back(bucketCapPass());
        all.push_back(bucketCutsPass());
        all.push_back(fusionPass());
        all.push_back(p3Pass());
        all.push_back(byteSchedulerPass());
        all.push_back(ticTacPass());
        all.push_back(usBytePass());
        all.push_back(dearPass());
        all.push_back(dproPass());
        all.push_back(jointPass());
        all.push_back(compressionPass());
        return all;
    }

} // namespace

const std::vector<std::unique_ptr<const Pass>> &passes()
{
    static const std::vector<std::unique_ptr<const Pass>> all = makePasses();
    return all;
}

std::string passNamesText()
{
    std::string text;
    for (const auto &pass : passes())
        text += (text.empty() ? "" : ", ") + std::string(pass->info().name);
    return text;
}

} // namespace core
