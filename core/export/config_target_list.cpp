#include "core/export/config_target.h"
#include "core/export/targets/byteps_target.h"
#include "core/export/targets/bytescheduler_target.h"
#include "core/export/targets/ddp_target.h"
#include "core/export/targets/deepspeed_target.h"
#include "core/export/targets/dpro_partition_target.h"
#include "core/export/targets/dpro_target.h"
#include "core/export/targets/horovod_groups_target.h"
#include "core/export/targets/horovod_target.h"
#include "core/export/targets/huggingface_target.h"
#include "core/export/targets/inductor_target.h"
#include "core/export/targets/lightning_target.h"
#include "core/export/targets/nccl_tuner_target.h"
#include "core/export/targets/tensorflow_xla_target.h"
#include "core/export/targets/tictac_target.h"
#include "core/export/targets/xla_target.h"

namespace core {

namespace {

    std::vector<std::unique_ptr<const ConfigTarget>> makeTargets()
    {
        std::vector<std::unique_ptr<const ConfigTarget>> all;
        all.push_back(ddpTarget());
        all.push_back(huggingfaceTarget());
        all.push_back(lightningTarget());
        all.push_back(deepspeedTarget());
        all.push_back(inductorTarget());
        all.push_back(xlaTarget());
        all.push_back(tensorflowXlaTarget());
        all.push_back(horovodTarget());
        all.push_back(horovodGroupsTarget());
        all.push_back(bytepsTarget());
        all.push_back(byteschedulerTarget());
        all.push_back(dproTarget());
        all.push_back(dproPartitionTarget());
        all.push_back(tictacTarget());
        all.push_back(ncclTunerTarget());
        return all;
    }

} // namespace

const std::vector<std::unique_ptr<const ConfigTarget>> &configTargets()
{
    static const std::vector<std::unique_ptr<const ConfigTarget>> all = makeTargets();
    return all;
}

std::string configTargetNames()
{
    std::string text;
    for (const auto &target : configTargets())
        text += (text.empty() ? "" : ", ") + std::string(target->name());
    return text;
}

const ConfigTarget *configTargetNamed(std::string_view name)
{
    for (const auto &target : configTargets())
        if (target->name() == name)
            return target.get();
    return nullptr;
}

} // namespace core
