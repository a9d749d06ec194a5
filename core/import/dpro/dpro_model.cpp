#include "core/import/dpro/dpro_model.h"

#include "core/import/dpro/dpro_folder.h"
#include "core/import/dpro/dpro_side_file.h"
#include "core/import/kineto/kineto_collectives.h"
#include "core/import/text/json_object.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace core {

namespace {

    /// What the files agree on: without the operation of Horovod and the output's number, and with
    /// dots as dPRO writes them.
    std::string plainName(std::string_view name)
    {
        constexpr std::string_view Reduction = "HorovodAllreduce.";
        if (name.starts_with(Reduction))
            name.remove_prefix(Reduction.size());
        if (name.ends_with(":0"))
            name.remove_suffix(2);
        std::string plain(name);
        std::replace(plain.begin(), plain.end(), '.', '_');
        return plain;
    }

    /// A flat list. To write one that nests would take a call a level: a file could have millions.
    bool isShape(const nlohmann::json &value)
    {
        return value.is_array()
            && std::none_of(value.begin(), value.end(),
                            [](const nlohmann::json &size) { return size.is_structured(); });
    }

    /// 0 where a size is not known (a batch's is null), or too large.
    std::uint64_t bytesOf(const nlohmann::json &shape, std::string_view dtype)
    {
        std::uint64_t bytes = elementSize(dtype);
        for (const auto &size : shape)
            if (!size.is_number_unsigned()
                || __builtin_mul_overflow(bytes, size.get<std::uint64_t>(), &bytes))
                return 0;
        return bytes;
    }

    /// "shape=(512, 1024)" as a list of its sizes.
    nlohmann::json sizesIn(std::string_view text)
    {
        constexpr std::string_view Digits = "0123456789";
        nlohmann::json sizes = nlohmann::json::array();
        for (std::size_t at = text.find_first_of(Digits); at != std::string_view::npos;
             at = text.find_first_of(Digits)) {
            text.remove_prefix(at);
            std::uint64_t size = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
            if (error != std::errc {})
                return nlohmann::json();
            sizes.push_back(size);
            text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        }
        return sizes;
    }

    /// The part of "name;shape=(2, 3);dtype=float32" behind that word.
    std::string_view partBehind(std::string_view text, std::string_view word)
    {
        const std::size_t at = text.find(word);
        if (at == std::string_view::npos)
            return {};
        text.remove_prefix(at + word.size());
        return text.substr(0, text.find(';'));
    }

    /// A gradient as one text; it may stand as a list of its parts.
    std::string gradientText(const nlohmann::json &gradient)
    {
        if (!gradient.is_array())
            return textOf(gradient);
        std::string text;
        for (const auto &part : gradient)
            text += (text.empty() ? "" : ";") + textOf(part);
        return text;
    }

} // namespace

/// Takes metadata.json apart.
class DproModelReader
{
public:
    explicit DproModelReader(DproModel &model)
        : m_model(model)
    {
    }

    void read(const nlohmann::json &metadata)
    {
        for (const auto &[name, value] : metadata.items()) {
            if (value.is_object())
                addOp(value);
            else if (value.is_string() || value.is_number() || value.is_boolean())
                m_model.m_settings[cleanText(name)]
                    = value.is_string() ? textOf(value) : value.dump();
        }
        addGradients(metadata);
        addOutputs(metadata);
    }

private:
    /// Of TensorFlow.
    void addOp(const nlohmann::json &op)
    {
        for (const char *side : { "output", "input" }) {
            const auto tensors = op.find(side);
            if (tensors == op.end() || !tensors->is_array())
                continue;
            for (const auto &tensor : *tensors)
                if (tensor.is_object() && tensor.contains("shape"))
                    add(textMember(tensor, "name"), tensor["shape"], textMember(tensor, "dtype"));
        }
    }

    /// Of MXNet: they have types.
    void addGradients(const nlohmann::json &metadata)
    {
        const auto list = metadata.find("gradient_name_list");
        if (list == metadata.end() || !list->is_array())
            return;
        std::vector<std::string> names;
        for (const auto &entry : *list) {
            const std::string text = gradientText(entry);
            names.push_back(text.substr(0, text.find(';')));
            const std::string_view shape = partBehind(text, ";shape=");
            if (!shape.empty())
                add(names.back(), sizesIn(shape), std::string(partBehind(text, ";dtype=")));
        }
        if (m_model.m_gradients.empty())
            m_model.m_gradients = std::move(names);
    }

    /// Of MXNet: they have shapes alone.
    void addOutputs(const nlohmann::json &metadata)
    {
        const auto outputs = metadata.find("outputs"), shapes = metadata.find("out_shapes");
        if (outputs == metadata.end() || shapes == metadata.end() || !outputs->is_array()
            || !shapes->is_array() || outputs->size() != shapes->size())
            return;
        for (std::size_t i = 0; i < outputs->size(); ++i)
            add(textOf((*outputs)[i]), (*shapes)[i], {});
    }

    void add(const std::string &name, const nlohmann::json &shape, std::string dtype)
    {
        if (name.empty() || !isShape(shape))
            return;
        DproModel::Shaped tensor { bytesOf(shape, dtype), std::move(dtype),
                                   cleanText(shape.dump(
                                       -1, ' ', false, nlohmann::json::error_handler_t::replace)) };
        m_model.add(name, std::move(tensor));
    }

    DproModel &m_model;
};

DproModel::DproModel(const BundleEntry &entry, std::string_view folder, TraceSink &sink)
    : m_gradients(readGradientNames(entry, folder, sink))
{
    DproModelReader(*this).read(readSideObject(entry, std::string(folder) + "metadata.json", sink));
}

/// The first mention that tells the size counts.
void DproModel::add(std::string_view name, Shaped tensor)
{
    const auto [known, isNew] = m_tensors.try_emplace(plainName(name), tensor);
    if (!isNew && known->second.bytes == 0 && tensor.bytes != 0)
        known->second = std::move(tensor);
}

TensorRecord DproModel::tensor(std::string_view name) const
{
    const auto known = m_tensors.find(plainName(name));
    if (known == m_tensors.end())
        return { name, 0, {}, {} };
    const Shaped &tensor = known->second;
    return { name, tensor.bytes, tensor.dtype, tensor.shape };
}

void DproModel::giveSettings(TraceSink &sink) const
{
    for (const auto &[name, value] : m_settings)
        sink.metadata(name, value);
}

} // namespace core
