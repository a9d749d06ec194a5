#include "core/import/execution_trace/chakra_node.h"

#include "core/import/execution_trace/execution_trace_importer.h"
#include "core/import/text/json_members.h"
#include "core/import/text/protobuf_scan.h"

#include <array>

namespace core {

namespace {

    // Field numbers of Chakra's messages (et_def.proto).
    enum NodeField : std::uint32_t {
        Id = 1,
        Name = 2,
        Type = 3,
        ControlDependencies = 4,
        DataDependencies = 5,
        StartMicros = 6,
        DurationMicros = 7,
        Attribute = 10,
    };
    constexpr std::uint32_t AttributeName = 1;
    constexpr std::uint32_t Sint32Value = 15;
    constexpr std::uint32_t Sint64Value = 17;

    struct NumberField
    {
        std::string_view name;
        std::optional<std::uint64_t> ChakraNode::*field;
    };
    constexpr std::array NumberFields = {
        NumberField { "comm_type", &ChakraNode::collectiveType },
        NumberField { "comm_src", &ChakraNode::source },
        NumberField { "comm_dst", &ChakraNode::destination },
        NumberField { "comm_tag", &ChakraNode::tag },
        NumberField { "tid", &ChakraNode::thread },
        NumberField { "stream", &ChakraNode::stream },
        NumberField { "rf_id", &ChakraNode::recordFunction },
    };

    void setNumber(ChakraNode &node, std::string_view name, std::uint64_t value)
    {
        for (const NumberField &known : NumberFields) {
            if (known.name == name)
                node.*known.field = value;
        }
        if (name == "comm_size" || (name == "tensor_size" && node.bytes == 0))
            node.bytes = value;
    }

    ChakraNodeType typeOf(std::uint64_t number)
    {
        return number <= static_cast<std::uint64_t>(ChakraNodeType::Collective)
            ? static_cast<ChakraNodeType>(number)
            : ChakraNodeType::Invalid;
    }

    /// One number, or many in the packed form.
    void forEachId(const ProtobufFields &field, const std::function<void(std::uint64_t)> &use)
    {
        if (field.type() == ProtobufFields::WireType::Varint)
            return use(field.natural());
        std::string_view packed = field.bytes();
        while (const std::optional<std::uint64_t> id = takeVarint(packed))
            use(*id);
    }

    void readAttribute(ChakraNode &node, std::string_view message)
    {
        std::string_view name, text;
        std::uint64_t number = 0;
        bool isText = false;
        ProtobufFields fields(message);
        while (fields.next()) {
            if (fields.number() == AttributeName) {
                name = fields.bytes();
            } else if (fields.isBytes()) {
                text = fields.bytes();
                isText = true;
            } else {
                const bool isZigzag
                    = fields.number() == Sint32Value || fields.number() == Sint64Value;
                number = isZigzag ? static_cast<std::uint64_t>(fields.zigzag()) : fields.natural();
            }
        }
        if (name == "is_cpu_op")
            node.isOnHost = number != 0;
        else if (name == "pg_name")
            node.group = text;
        else if (!isText)
            setNumber(node, name, number);
    }

    void readNodeField(ChakraNode &node, const ProtobufFields &field)
    {
        switch (field.number()) {
        case Id:
            node.id = field.natural();
            break;
        case Name:
            node.name = field.bytes();
            break;
        case Type:
            node.type = typeOf(field.natural());
            break;
        case StartMicros:
            node.startUs = field.natural();
            break;
        case DurationMicros:
            node.durationUs = field.natural();
            break;
        case Attribute:
            readAttribute(node, field.bytes());
            break;
        default:
            break;
        }
    }

    /// Length and contents of the next message in `rest`; absent if it is not whole.
    std::optional<std::string_view> takeMessage(std::string_view &rest)
    {
        const std::optional<std::uint64_t> length = takeVarint(rest);
        if (!length || *length > rest.size())
            return std::nullopt;
        const std::string_view message = rest.substr(0, static_cast<std::size_t>(*length));
        rest.remove_prefix(message.size());
        return message;
    }

    bool isGlobalMetadata(std::string_view message)
    {
        ProtobufFields fields(message);
        bool isAttribute = true;
        while (fields.next())
            isAttribute = isAttribute && fields.number() <= 2 && fields.isBytes();
        return isAttribute && !fields.isMalformed();
    }

} // namespace

std::optional<ChakraNode> chakraNodeFromProtobuf(std::string_view message)
{
    ChakraNode node;
    node.message = message;
    ProtobufFields fields(message);
    while (fields.next())
        readNodeField(node, fields);
    if (fields.isMalformed() || node.name.empty())
        return std::nullopt;
    return node;
}

std::optional<ChakraNode> chakraNodeFromJson(std::string_view text)
{
    ChakraNode node;
    bool hasId = false;
    const bool isObject
        = json::forEachMember(text, [&](std::string_view key, std::string_view value) {
              const auto number = json::naturalIn(value);
              if (key == "Id" && number) {
                  node.id = *number;
                  hasId = true;
              } else if (key == "Name") {
                  node.name = json::unquoted(value);
              } else if (key == "NodeType" && number) {
                  node.type = typeOf(*number);
              } else if (key == "runtime") {
                  node.durationUs = number;
              } else if (key == "is_cpu_op") {
                  node.isOnHost = value == "true" || number == 1U;
              } else if (key == "data_deps") {
                  node.dataDependencies = value;
              } else if (key == "ctrl_deps") {
                  node.controlDependencies = value;
              } else if (key == "pg_name") {
                  node.group = json::unquoted(value);
              } else if (number) {
                  setNumber(node, key, *number);
              }
          });
    if (!isObject || !hasId)
        return std::nullopt;
    return node;
}

std::uint64_t chakraNodeKey(const ChakraNode &node)
{
    const std::uint64_t recordFunction = node.isOnHost ? node.recordFunction.value_or(0) : 0;
    return recordFunction != 0 ? recordFunction : executionTraceNodeKey(node.id);
}

std::string_view chakraOpName(std::string_view nodeName)
{
    const std::size_t open = nodeName.rfind('(');
    if (open == std::string_view::npos || open == 0 || nodeName.back() != ')')
        return nodeName;
    const std::string_view number = nodeName.substr(open + 1, nodeName.size() - open - 2);
    const bool isPiece
        = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
    return isPiece ? nodeName.substr(0, open) : nodeName;
}

void forEachDependency(const ChakraNode &node, DependencyKind kind,
                       const std::function<void(std::uint64_t)> &use)
{
    const bool isControl = kind == DependencyKind::Control;
    const std::uint32_t number = isControl ? ControlDependencies : DataDependencies;
    for (ProtobufFields field(node.message); field.next();) {
        if (field.number() == number)
            forEachId(field, use);
    }
    json::forEachElement(isControl ? node.controlDependencies : node.dataDependencies,
                         [&use](std::string_view value) {
                             if (const auto id = json::naturalIn(value))
                                 use(*id);
                         });
}

bool startsAsChakraProtobuf(std::string_view head)
{
    const auto metadata = takeMessage(head);
    if (!metadata || metadata->empty() || !isGlobalMetadata(*metadata))
        return false;
    if (head.empty())
        return true; // no node at all
    const auto node = takeMessage(head);
    return !node || chakraNodeFromProtobuf(*node).has_value(); // not whole: longer than the head
}

} // namespace core
