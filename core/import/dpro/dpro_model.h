#pragma once

#include "core/bundle/bundle.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// What a dPRO folder tells about the model that its rank trains, beside the traces: the gradients'
/// names, and metadata.json in one of two forms.
///
/// - TensorFlow: `{"<op>": {"op": type, "input": [{name, shape, dtype}], "output": [...]}}`; a
///   gradient has the name of its weight. dPRO writes "." in names as "_".
/// - MXNet: `{"outputs": [name], "out_shapes": [shape],
///   "gradient_name_list": ["name;shape=(2, 3);dtype=float32"], "opt_aggregate_num": 4, ...}`
class DproModel
{
public:
    /// `folder`: "", or "host0/0/", relative to `entry`. Files that are missing tell nothing. Of
    /// `sink`, diagnostics and importerBytes() are used.
    DproModel(const BundleEntry &entry, std::string_view folder, TraceSink &sink);

    /// Names by number; "" where it is not known.
    const std::vector<std::string> &gradients() const { return m_gradients; }
    /// The tensor of that name, with its size, type and shape where metadata.json has them. Views
    /// of `name` and of the model.
    TensorRecord tensor(std::string_view name) const;
    /// Gives what metadata.json says about the job (numbers and texts) to the sink.
    void giveSettings(TraceSink &sink) const;

private:
    struct Shaped
    {
        std::uint64_t bytes = 0; ///< 0: unknown
        std::string dtype, shape;
    };

    void add(std::string_view name, Shaped tensor);

    std::vector<std::string> m_gradients;
    std::map<std::string, Shaped, std::less<>> m_tensors; ///< by plainName()
    std::map<std::string, std::string> m_settings;

    friend class DproModelReader;
};

} // namespace core
