#include "core/export/graph/text_graphs.h"

#include "core/base/duration_text.h"
#include "core/export/graph/markup.h"
#include "core/model/category.h"

#include <vector>

namespace core {

namespace {

    std::string quoted(const std::string &text)
    {
        std::string safe = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\')
                safe += '\\';
            safe += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
        }
        return safe + "\"";
    }

    std::string dotLabel(const DrawnBlock &block)
    {
        return titleOf(block) + ", " + durationText(block.durationNs());
    }

    std::string dotNode(const DrawnBlock &block, std::size_t index)
    {
        return "    n" + std::to_string(index) + " [label=" + quoted(dotLabel(block))
            + ", fillcolor=\"" + hexColor(colorsOf(block.role).light) + "\""
            + (block.path ? ", penwidth=3" : "") + "];\n";
    }

    /// [lanes of the outline]: their places in the drawing.
    std::vector<std::size_t> placesOfLanes(const Drawing &drawing)
    {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < drawing.lanes.size(); ++i) {
            if (drawing.lanes[i].lane >= places.size())
                places.resize(drawing.lanes[i].lane + 1);
            places[drawing.lanes[i].lane] = i;
        }
        return places;
    }

    std::string provenanceName(Provenance provenance)
    {
        switch (provenance) {
        case Provenance::Inferred:
            return "inferred";
        case Provenance::Derived:
            return "derived";
        case Provenance::Recorded:
            break;
        }
        return "recorded";
    }

    const char *dotStyle(Provenance provenance)
    {
        return provenance == Provenance::Recorded ? "solid"
            : provenance == Provenance::Derived   ? "dashed"
                                                  : "dotted";
    }

    std::string data(const char *key, const std::string &value)
    {
        return std::string("<data key=\"") + key + "\">" + markupText(value) + "</data>";
    }

} // namespace

std::string dotText(const Drawing &drawing)
{
    std::string out = "digraph job {\n  rankdir=LR;\n  node [shape=box, style=\"filled,rounded\", "
                      "fontname=\"Helvetica\", fontcolor=white];\n";
    const std::vector<std::size_t> places = placesOfLanes(drawing);
    std::vector<std::string> lanes(drawing.lanes.size());
    for (std::size_t i = 0; i < drawing.blocks.size(); ++i)
        if (!drawing.blocks[i].isOpen)
            lanes[places[drawing.blocks[i].lane]] += dotNode(drawing.blocks[i], i);
    for (std::size_t i = 0; i < lanes.size(); ++i)
        out += "  subgraph cluster_" + std::to_string(i)
            + " {\n    label=" + quoted(drawing.lanes[i].group + ", " + drawing.lanes[i].name)
            + ";\n" + lanes[i] + "  }\n";
    for (const DrawnLink &link : drawing.links)
        out += "  n" + std::to_string(link.from) + " -> n" + std::to_string(link.to) + " [style="
            + dotStyle(link.provenance) + (link.isOnPath ? ", penwidth=3" : "") + "];\n";
    return out + "}\n";
}

std::string graphmlText(const Drawing &drawing)
{
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
    const auto key = [&out](const char *id, const char *of, const char *type) {
        out += std::string("<key id=\"") + id + "\" for=\"" + of + "\" attr.name=\"" + id
            + "\" attr.type=\"" + type + "\"/>\n";
    };
    for (const char *id : { "name", "group", "lane", "role" })
        key(id, "node", "string");
    for (const char *id : { "start_ns", "end_ns", "wait_ns", "operations", "slack_ns" })
        key(id, "node", "long");
    key("on_path", "all", "boolean");
    key("bytes", "all", "long");
    key("count", "edge", "long");
    key("provenance", "edge", "string");
    out += "<graph edgedefault=\"directed\">\n";
    const std::vector<std::size_t> places = placesOfLanes(drawing);
    const auto flag = [](bool is) { return std::string(is ? "true" : "false"); };
    for (std::size_t i = 0; i < drawing.blocks.size(); ++i) {
        const DrawnBlock &block = drawing.blocks[i];
        if (block.isOpen)
            continue;
        const DrawnLane &lane = drawing.lanes[places[block.lane]];
        out += "<node id=\"n" + std::to_string(i) + "\">" + data("name", block.name)
            + data("group", lane.group) + data("lane", lane.name)
            + data("role", std::string(roleName(block.role)))
            + data("start_ns", std::to_string(block.startNs))
            + data("end_ns", std::to_string(block.endNs))
            + data("wait_ns", std::to_string(block.waitNs))
            + data("bytes", std::to_string(block.bytes))
            + data("operations", std::to_string(block.count))
            + (block.slackNs < 0 ? "" : data("slack_ns", std::to_string(block.slackNs)))
            + data("on_path", flag(block.path.has_value())) + "</node>\n";
    }
    for (const DrawnLink &link : drawing.links)
        out += "<edge source=\"n" + std::to_string(link.from) + "\" target=\"n"
            + std::to_string(link.to) + "\">" + data("count", std::to_string(link.count))
            + data("bytes", std::to_string(link.bytes))
            + data("provenance", provenanceName(link.provenance))
            + data("on_path", flag(link.isOnPath)) + "</edge>\n";
    return out + "</graph>\n</graphml>\n";
}

} // namespace core
